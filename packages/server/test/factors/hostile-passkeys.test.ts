import { randomBytes } from '@latchkey/bytes'
import { createSoftwareAuthenticator, type SoftwareAuthenticator } from '@latchkey/passkeys/testing'
import { afterAll, describe, expect, test } from 'vitest'
import { operations } from '../support/factor-bench.ts'
import { ownForm } from '../support/forms.ts'
import { signInFully } from '../support/sign-in-rows.ts'
import { createScene, readHeld, type Scene, useSites } from '../support/sign-in-scene.ts'
import { type Answer, newCookies, outcomeOf, type Visitor } from '../support/visitor.ts'
import { isOpen, respond, type Way, ways } from '../support/ways.ts'

// What an authenticator or the browser before it may answer, as a service meets it: with the documented error, without a
// credential, and with the counter of the passkey as it was.

const sites = useSites()
afterAll(() => sites.close())

interface Defect {
  readonly what: string
  readonly defects?: Parameters<SoftwareAuthenticator['create']>[1]
  /** Changes the response afterwards. */
  readonly spoil?: (response: Response) => object
}
type Response = { readonly response: Readonly<Record<string, string>> }

const ofEveryCeremony: readonly Defect[] = [
  { what: 'another origin', defects: { origin: 'https://evil.example' } },
  { what: 'another relying party', defects: { rpId: 'evil.example' } },
  { what: 'another challenge', defects: { challenge: Buffer.alloc(32).toString('base64url') } },
  { what: 'an id that is not the raw id', defects: { rawId: 'AAAA' } },
  { what: 'no user verification', defects: { userVerified: false } },
  { what: 'a backup of what has none', defects: { backupEligible: false, backedUp: true } },
  { what: 'an id of 1024 bytes', defects: { credentialId: new Uint8Array(1024).fill(5) } },
]

const everyDefectOfSignIn: readonly Defect[] = [
  ...ofEveryCeremony,
  { what: 'the type of a registration', defects: { type: 'webauthn.create' } },
  { what: 'a passkey that can no longer be kept elsewhere', defects: { backupEligible: false, backedUp: false } },
  { what: 'an id of 1023 bytes that was never registered', defects: { credentialId: new Uint8Array(1023).fill(5) } },
  { what: 'a counter that has gone back', defects: { counter: 1 } },
  { what: 'a counter that has gone back to zero', defects: { counter: 0 } },
  { what: 'a signature of something else', defects: { isForged: true } },
  { what: 'a signature with a flipped bit', spoil: flipSignature },
]

/** A defect of each part of a response; what judges each of them is tried by the tests of the package, in the long mode here too. */
const deciding = [
  'another challenge',
  'no user verification',
  'a counter that has gone back',
  'a signature of something else',
]
const ofSignIn = everyDefectOfSignIn.filter(({ what }) => process.env.TEST_TIER === '3' || deciding.includes(what))

function flipSignature({ response, ...rest }: Response): object {
  const signature = Buffer.from(response.signature ?? '', 'base64url')
  const last = signature.length - 1
  signature[last] = (signature[last] ?? 0) ^ 1
  return { ...rest, response: { ...response, signature: signature.toString('base64url') } }
}

/** What a passkey is shown for: how its challenge is asked for, and what a refusal is answered with. */
const uses = {
  'a sign-in': { ask: async () => null, status: 401, isOpen: false },
  'a second factor': {
    ask: async ({ way, visitor, account, shows }: Scene) =>
      (await way.signIn(visitor, account.email, shows.password)).challenge,
    status: 401,
    isOpen: false,
  },
  'a step-up': {
    ask: async ({ way, visitor }: Scene) => (await way.askForProof(visitor)).challenge,
    status: 403,
    isOpen: true,
  },
} as const

/** A refusal of a page is its form again. */
function expectRefused({ isPages }: Way, answer: Answer, { status, what }: { status: number; what: string }): void {
  if (isPages) expect(answer.status, what).toBe(status === 403 ? 401 : status)
  else expect([...outcomeOf(answer), answer.data ?? null], what).toEqual([status, 'INVALID_CREDENTIALS', null])
  expect(newCookies(answer), what).toEqual([])
}

describe.each(ways.map((way) => [way.name, way] as const))('by %s, a passkey', (_name, way) => {
  test.each(Object.entries(uses))(
    'is refused for %s with every defect, and accepted without a defect',
    async (_use, use) => {
      const scene = await createScene(await sites.with(), way)
      const { site, visitor, authenticator } = scene
      await signInFully(scene, use.isOpen ? visitor : site.visitor())
      site.advance(301)
      const texts = new Set<string>()
      for (const { what, defects = {}, spoil = (response: Response): object => response } of ofSignIn) {
        const challenge = await use.ask(scene)
        const options = await way.startPasskey(visitor, { challenge })
        const made = await authenticator.get(options as never, defects)
        const before = await readHeld(scene)
        const response = JSON.stringify(spoil(made as unknown as Response))
        const { answer } = await way.finishPasskey(visitor, response, { challenge })
        expectRefused(way, answer, { status: use.status, what })
        texts.add(way.isPages ? '' : answer.text)
        expect(await readHeld(scene), what).toEqual(before)
        expect(await isOpen(way, visitor), what).toBe(use.isOpen)
      }
      expect([...texts]).toHaveLength(1)
      const challenge = await use.ask(scene)
      const response = await respond(await way.startPasskey(visitor, { challenge }), authenticator)
      await way.finishPasskey(visitor, response, { challenge })
      expect(await isOpen(way, visitor)).toBe(true)
      // What was accepted once is not accepted twice, also without its session.
      const again = await way.finishPasskey(site.visitor(), response, { challenge })
      expectRefused(way, again.answer, { status: 401, what: 'the same response' })
    },
  )

  const ofRegistration: readonly Defect[] = [
    ...ofEveryCeremony,
    { what: 'the type of a sign-in', defects: { type: 'webauthn.get' } },
    { what: 'an id that was not attested', defects: { attestedId: new Uint8Array(32) } },
  ]

  test('is not registered with any defect, in another session, or twice; with an id of 1023 bytes it is, and signs in', async () => {
    const site = await sites.with()
    const owner = await createScene(site, way)
    const scene = await createScene(site, way, { kinds: [] })
    const { visitor, account, authenticator } = scene
    await signInFully(scene)
    const refuse = async (what: string, response: object, by = visitor): Promise<void> => {
      const before = await readHeld(scene)
      const answer = await register(way, by, JSON.stringify(response))
      if (way.isPages) expect(answer.status, what).toBe(400)
      else expect([...outcomeOf(answer), answer.data ?? null], what).toEqual([403, 'INVALID_CREDENTIALS', null])
      expect(newCookies(answer), what).toEqual([])
      expect(await readHeld(scene), what).toEqual(before)
    }
    for (const { what, defects } of ofRegistration) {
      await refuse(what, await authenticator.create((await startRegistration(way, visitor)) as never, defects))
    }
    const own = createSoftwareAuthenticator({ origin: 'https://example.com' })
    const taken = await idOf(owner)
    const copy = { credentialId: taken, ignoresLists: true }
    await refuse('one of another account', await own.create((await startRegistration(way, visitor)) as never, copy))
    const other = site.visitor()
    await signInFully(scene, other)
    const begun = await own.create((await startRegistration(way, visitor)) as never, { ignoresLists: true })
    await refuse('another session', begun, other)

    const longest = { credentialId: randomBytes(1023) }
    const device = createSoftwareAuthenticator({ origin: 'https://example.com' })
    const made = await device.create((await startRegistration(way, visitor)) as never, longest)
    const added = await register(way, visitor, JSON.stringify(made))
    expect(added.status, added.text).toBe(200)
    expect((await site.stores.accounts.get(account.id))?.enrolled).toEqual(['passkey'])
    const alone = site.visitor()
    const response = await respond(await way.startPasskey(alone, { challenge: null }), device)
    await way.finishPasskey(alone, response, { challenge: null })
    expect(await isOpen(way, alone)).toBe(true)
  })
})

async function idOf({ site, account }: Scene): Promise<Uint8Array> {
  const stored = await site.stores.documents?.listByOwner(account.id, { collections: ['factor-passkey'] })
  const { value = '{}' } = stored?.items[0] ?? {}
  return Buffer.from(JSON.parse(value).credentialId, 'base64url')
}

async function startRegistration({ isPages }: Way, visitor: Visitor): Promise<object> {
  if (!isPages) return JSON.parse((await visitor.ask(operations.register)).data.startPasskeyRegistration.options)
  const page = await visitor.post('/account/passkeys/start', { name: 'Laptop' }, ownForm)
  return JSON.parse(/data-options="([^"]*)"/.exec(page.text)?.[1]?.replaceAll('&quot;', '"') ?? 'null')
}

function register({ isPages }: Way, visitor: Visitor, response: string): Promise<Answer> {
  if (isPages) return visitor.post('/account/passkeys/add', { name: 'Laptop', response }, ownForm)
  return visitor.ask(operations.registered, { input: { name: 'Laptop', response } })
}
