import { afterAll, describe, expect, test } from 'vitest'
import { ownForm } from '../support/forms.ts'
import { createScene, readHeld, type Scene, useSites } from '../support/sign-in-scene.ts'
import { type Answer, newCookies, outcomeOf, ownPage, type Visitor } from '../support/visitor.ts'
import { isOpen, respond, type Way, ways } from '../support/ways.ts'

// A passkey without a name signs in where it was asked for: what it has signed for one browser is no use to another one.

const sites = useSites()
afterAll(() => sites.close())

const cookieName = '__Host-passkey'
const alone = { challenge: null }

/** Native delivery is refused to browsers. */
const browsed = ways.filter(({ delivery }) => delivery !== 'NATIVE')
const native = ways.filter(({ isPages }) => !isPages)

function openBrowser({ site, way }: Scene): Visitor {
  return Object.assign(site.visitor(), { headers: way.isPages ? ownForm : ownPage })
}

async function sign({ way, authenticator }: Scene, visitor: Visitor): Promise<string> {
  return respond(await way.startPasskey(visitor, alone), authenticator)
}

function show({ way }: Scene, visitor: Visitor, response: string): Promise<Answer> {
  return way.finishPasskey(visitor, response, alone).then(({ answer }) => answer)
}

/** It is refused as a challenge that was never given out. */
async function expectRefused(scene: Scene, visitor: Visitor, response: string): Promise<void> {
  const { way } = scene
  const before = await readHeld(scene)
  const answer = await show(scene, visitor, response)
  if (way.isPages) expect(answer.status).toBe(401)
  else expect([...outcomeOf(answer), answer.data ?? null]).toEqual([401, 'INVALID_CREDENTIALS', null])
  expect(newCookies(answer)).toEqual([])
  expect(await readHeld(scene)).toEqual(before)
  expect(await isOpen(way, visitor)).toBe(false)
}

const begin = async (way: Way): Promise<Scene> => createScene(await sites.with(), way)

describe.each(browsed.map((way) => [way.name, way] as const))(
  'by %s, a passkey for the challenge of a browser',
  (_name, way) => {
    test('is refused to another browser, to one without a cookie and outside browsers, and signs in its own', async () => {
      const scene = await begin(way)
      const [own, other] = [openBrowser(scene), openBrowser(scene)]
      const response = await sign(scene, own)
      await sign(scene, other)
      await expectRefused(scene, other, response)
      await expectRefused(scene, openBrowser(scene), response)
      await expectRefused(scene, scene.site.visitor(), response)
      await show(scene, own, response)
      expect(await isOpen(way, own)).toBe(true)
    })

    test('signs in from both of two tabs, even after a sign-in in the other tab', async () => {
      const scene = await begin(way)
      const visitor = openBrowser(scene)
      const first = await sign(scene, visitor)
      const cookie = visitor.jar.get(cookieName)
      const second = await sign(scene, visitor)
      expect(visitor.jar.get(cookieName)).toBe(cookie)
      for (const response of [first, second]) {
        await show(scene, visitor, response)
        expect(await isOpen(way, visitor)).toBe(true)
        for (const name of [...visitor.jar.keys()].filter((one) => one !== cookieName)) visitor.jar.delete(name)
        visitor.bearer = null
      }
      await expectRefused(scene, visitor, first)
    })

    test('is refused with a cookie that belongs to another response', async () => {
      const scene = await begin(way)
      const visitor = openBrowser(scene)
      const response = await sign(scene, visitor)
      const cookie = visitor.jar.get(cookieName) ?? ''
      for (const wrong of [`${cookie}A`, cookie.slice(0, -1), 'nonsense']) {
        visitor.jar.set(cookieName, wrong)
        await expectRefused(scene, visitor, response)
      }
    })
  },
)

describe.each(native.map((way) => [way.name, way] as const))(
  'by %s, a passkey for a challenge outside browsers',
  (_name, way) => {
    test('is refused to a browser, which would be signed in to the account of another, and signs in outside', async () => {
      const scene = await begin(way)
      const [outside, browser] = [scene.site.visitor(), openBrowser(scene)]
      const response = await sign(scene, outside)
      expect(outside.jar.size).toBe(0)
      if (way.delivery !== 'NATIVE') {
        await expectRefused(scene, browser, response)
        await sign(scene, browser)
        await expectRefused(scene, browser, response)
      }
      await show(scene, outside, response)
      expect(await isOpen(way, outside)).toBe(true)
    })
  },
)

const [byPages] = browsed.filter(({ isPages }) => isPages)
if (!byPages) throw new Error('there are no pages')

test('the browser has a secret that scripts cannot read, and the body does not have it', async () => {
  const scene = await begin(byPages)
  const visitor = openBrowser(scene)
  const started = await visitor.post('/passkey/start', { step: 'sign-in' })
  expect(started.cookies).toEqual([
    expect.stringMatching(
      /^__Host-passkey=passkey_[\w-]{22}\.[\w-]{43}; Max-Age=300; Path=\/; HttpOnly; Secure; SameSite=Strict$/,
    ),
  ])
  expect(started.text).not.toContain(visitor.jar.get(cookieName))
})

test('a cookie that no answer has set is replaced', async () => {
  const scene = await begin(byPages)
  const visitor = openBrowser(scene)
  visitor.jar.set(cookieName, 'x'.repeat(3000))
  const response = await sign(scene, visitor)
  expect(visitor.jar.get(cookieName)).toMatch(/^passkey_/)
  await show(scene, visitor, response)
  expect(await isOpen(byPages, visitor)).toBe(true)
})

test('the challenge of a password needs no such cookie', async () => {
  const scene = await begin(byPages)
  const { way, account, shows, authenticator } = scene
  const visitor = openBrowser(scene)
  const { challenge } = await way.signIn(visitor, account.email, shows.password)
  const options = await way.startPasskey(visitor, { challenge })
  expect(visitor.jar.has(cookieName)).toBe(false)
  await way.finishPasskey(visitor, await respond(options, authenticator), { challenge })
  expect(await isOpen(way, visitor)).toBe(true)
})
