import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { englishMailTexts } from '@latchkey/accounts'
import { toNodeListener } from '@latchkey/http/node'
import type { Server } from '@latchkey/server'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createApp as createExpressApp } from '../../src/service/express.ts'
import { createApp as createFastifyApp } from '../../src/service/fastify.ts'
import { createApp as createHonoApp } from '../../src/service/hono.ts'
import { createApp as createKoaApp } from '../../src/service/koa.ts'
import { createRoute } from '../../src/service/next.ts'
import { type Running, start, whenListening } from '../servers.ts'
import type { Site } from './browser.ts'
import { causeEveryMail } from './every-mail.ts'
import { changeEmail, newBrowser, openMail, resetPassword, setUpApp, signIn, signUp } from './person.ts'
import { createWholeService, newPassword, origin, password, type WholeService } from './whole-service.ts'

const mounts = {
  'on its own': (server: Server) => createServer(toNodeListener(server)).listen(0, '127.0.0.1'),
  'in Express': (server: Server) => start.express(createExpressApp(server)),
  'in Fastify': (server: Server) => start.fastify(createFastifyApp(server)),
  'in Hono': (server: Server) => start.hono(createHonoApp(server)),
  'in Koa': (server: Server) => start.koa(createKoaApp(server)),
  'in a route handler of Next.js': (server: Server) => start.anyPath(createRoute(server)),
} as const

/** Every path of a service in production, as the documentation lists them. */
const [, list = ''] = readFileSync(new URL('../../../../docs/pages.md', import.meta.url), 'utf8').split(
  '## Every path\n',
)
const served = [...list.matchAll(/^\| (?!`pages.development`).+? *\| (`\/.*) \|$/gm)].flatMap(([, paths = '']) =>
  [...paths.matchAll(/`([^`]+)`/g)].map(([, path = '']) => path.replace('<name>', 'one')),
)

/** The addresses in a mail. */
const addressesIn = (text: string) => text.match(/https?:\/\/[^\s<>"”)]*[^\s<>"”).,:;]/g) ?? []

let service: WholeService
const running: Running[] = []
async function open(begin: (typeof mounts)[keyof typeof mounts]): Promise<Site> {
  const mounted = await whenListening(await begin(service.server))
  running.push(mounted)
  return { port: mounted.port, origin, opened: new Set(), dead: new Set() }
}

beforeAll(async () => {
  service = await createWholeService()
  const site = await open(mounts['on its own'])
  await causeEveryMail(service, site)
  await (await service.server.accounts()).settled()
})
afterAll(async () => {
  await Promise.all(running.map((mounted) => mounted.close()))
  await service.server.close()
})

test('every kind of mail was sent', () => {
  const kinds = new Set(service.mails.map(({ kind }) => kind))
  expect([...kinds].toSorted()).toEqual(Object.keys(englishMailTexts).toSorted())
})

describe.each(Object.entries(mounts))('a service in production %s', (name, begin) => {
  let site: Site
  beforeEach(async () => {
    site = await open(begin)
  })

  test('has a page behind every link of every mail, and behind every link there', async () => {
    const links = service.mails.map(({ kind, text, html }) => [kind, new Set(addressesIn(`${text} ${html}`))] as const)
    const browser = newBrowser(site)
    for (const [kind, addresses] of links) {
      for (const address of addresses) await browser.open(address, `the mail ${kind}`)
    }
    await browser.openAll()
    expect([...site.dead]).toEqual([])
    expect(links.flatMap(([, addresses]) => [...addresses]).filter((one) => !one.startsWith(origin))).toEqual([])
  })

  test('leads a visitor nowhere that is not there, from the sign-up to an undone change of address', async () => {
    const stranger = newBrowser(site)
    for (const path of ['/sign-in', '/sign-up', '/reset']) await stranger.open(path)
    await stranger.openAll()
    const person = await signUp(service, site, `${name.replace(/\W/g, '-').toLowerCase()}@example.org`)
    const { browser, email } = person
    await browser.openAll()
    await browser.open('/account/password')
    await browser.send('/account/password', { password, new_password: newPassword })
    await resetPassword(person, password)
    await signIn(person)
    const app = await setUpApp(person)
    await browser.openAll()
    const elsewhere = { ...person, browser: newBrowser(site) }
    await signIn(elsewhere)
    await elsewhere.browser.send('/second-factor', { code: app.code() })
    await elsewhere.browser.openAll()
    await changeEmail(person)
    await openMail(person, 'email-change-notice', email)
    expect((await browser.send('/undo-email-change')).status).toBe(200)
    await openMail(person, 'choose-password', email)
    await browser.send('/reset', { password: newPassword })
    await browser.openAll()
    await signIn(person, newPassword)
    await browser.send('/second-factor', { code: app.code() })
    expect((await browser.open('/account')).text).toContain(email)
    await browser.openAll()
    await browser.send('/sign-out')
    await browser.openAll()
    expect([...site.dead]).toEqual([])
  })

  test('serves every documented path, to signed-out and signed-in visitors', async () => {
    const person = await signUp(service, site, `reader-${name.replace(/\W/g, '-').toLowerCase()}@example.org`)
    for (const browser of [newBrowser(site), person.browser]) {
      for (const path of served) await browser.open(path)
    }
    expect([...site.dead]).toEqual([])
    expect(served.filter((path) => !site.opened.has(path))).toEqual([])
    expect(served.length).toBeGreaterThan(60)
  })

  test('leaves all other paths to the application', async () => {
    if (name === 'on its own' || name.endsWith('Next.js')) return
    const url = `http://127.0.0.1:${site.port}`
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"some":"json"}' }
    expect(await (await fetch(`${url}/echo`, init)).json()).toEqual({ some: 'json' })
    const response = await fetch(`${url}/nothing`)
    const ofService = await service.server.fetch(new Request(`${origin}/nothing`))
    expect([response.status, ofService.status]).toEqual([404, 404])
    expect(await response.text()).not.toBe(await ofService.text())
  })
})
