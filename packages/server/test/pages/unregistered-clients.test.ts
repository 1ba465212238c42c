import { escapeHtml } from '@latchkey/http'
import { createAuthorizationServer } from '@latchkey/oauth/server'
import { type DocumentHost, openDocumentHost, pocketCallback } from '@latchkey/test-services'
import { afterEach, expect, test } from 'vitest'
import { createAuditedBench } from '../support/audited-bench.ts'
import { decide, follow, leadsTo, open, reader, requestPath, signInAt } from '../support/clients/asking.ts'
import { ownPage } from '../support/visitor.ts'

const hosts: DocumentHost[] = []
afterEach(async () => {
  await Promise.all(hosts.splice(0).map((host) => host.close()))
})

async function setUp(members: Readonly<Record<string, unknown>> = {}) {
  const site = await openDocumentHost(members)
  hosts.push(site)
  const bench = await createAuditedBench({
    baseUrl: 'http://127.0.0.1:4000',
    pages: { name: 'Notes' },
    oauth: (parts) =>
      createAuthorizationServer({
        ...parts,
        fixedClients: [reader],
        metadataClients: { from: 'any', scopes: ['openid', 'offline_access'] },
      }),
  })
  const target = (redirect_uri: string) => requestPath({ client_id: site.clientId, redirect_uri })
  return { site, bench, target }
}

test('the pages of an unregistered client name its host, the redirect and the danger of this computer', async () => {
  const { site, bench, target } = await setUp()
  const visitor = bench.visitor()
  const { email } = await bench.insert()
  const signIn = await open(visitor, target('http://127.0.0.1:51004/callback'))
  const consent = await follow(visitor, await signInAt(visitor, signIn, email))
  for (const page of [signIn, consent]) {
    expect(page.text).toContain('<strong><bdi>Satchel</bdi></strong>')
    expect(page.text).toContain(
      `This app is not registered here. Its name is chosen by <strong><bdi>${site.host}</bdi></strong>.`,
    )
    expect(page.text).toContain('redirected to <strong><bdi>127.0.0.1:51004</bdi></strong>')
    expect(page.text).toContain('any program could receive it')
  }
  expect(leadsTo(await decide(visitor, consent, 'allow'))).toMatch('http://127.0.0.1:51004/callback?code=ac_')
  const account = await open(visitor, '/account')
  expect(account.text).toContain(
    `Not registered here: its name is chosen by <strong><bdi>${site.host}</bdi></strong>. It returns to <strong><bdi>127.0.0.1:51004</bdi></strong>.`,
  )
  const rows = JSON.stringify(bench.database.prepare("select * from latchkey_audit where kind = 'grant.given'").all())
  expect(rows).toContain(site.clientId)
  expect(rows).toContain(String.raw`\"clientHost\":\"${site.host}\"`)
  expect((await visitor.ask('{ grants { clientHost } }', {}, ownPage)).data).toEqual({
    grants: [{ clientHost: site.host }],
  })
})

test.each(['notes', 'ｒｅａｄｅｒ'])('an unregistered client of the name %s is shown by its host', async (name) => {
  const { site, bench, target } = await setUp({ client_name: name })
  const page = await open(bench.visitor(), target(pocketCallback))
  expect(page.text).toContain(`<strong><bdi>${site.host}</bdi></strong>`)
  expect(page.text).not.toContain(`<bdi>${name}</bdi>`)
  expect(page.text).not.toContain('any program could receive it')
})

test.each([
  '<img src=x onerror=alert(1)>',
  '"><script>alert(1)</script>',
  '{host} {target} {client}',
  '$& $1 &lt;b&gt;',
])('the pages of an unregistered client show the name %s as text', async (name) => {
  const { site, bench, target } = await setUp({ client_name: name })
  const visitor = bench.visitor()
  const { email } = await bench.insert()
  const signIn = await open(visitor, target('http://127.0.0.1:51004/callback'))
  const consent = await follow(visitor, await signInAt(visitor, signIn, email))
  await decide(visitor, consent, 'allow')
  const shown = `<bdi>${escapeHtml(name)}</bdi>`
  for (const page of [signIn, consent, await open(visitor, '/account'), await open(visitor, '/devices')]) {
    expect(page.text).toContain(shown)
    expect(page.text).toContain(`<bdi>${site.host}</bdi>`)
    expect(page.text).not.toMatch(/<img src=x|<script>alert|<b>/)
  }
})

test('the pages of a registered client do not mention hosts', async () => {
  const { bench } = await setUp()
  const page = await open(bench.visitor(), requestPath())
  expect(page.text).not.toContain('not registered here')
})
