import { cpuMilliseconds, expectWithin } from '@latchkey/test-services'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ada, type Bench, createBench, registered } from './passkeys-bench.ts'

const malformed = { ok: false, reason: 'malformed' }

async function finishBoth({ passkeys }: Bench, response: unknown) {
  return [await passkeys.finishRegistration(ada.id, response, { name: 'Phone' }), await passkeys.finishSignIn(response)]
}

const deep = (open: string, close: string, depth: number) => open.repeat(depth) + close.repeat(depth)
const text = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
const clientData = { type: 'webauthn.get', challenge: 'AA', origin: 'https://example.com' }
const whole = {
  id: 'AAAA',
  rawId: 'AAAA',
  type: 'public-key',
  response: {
    clientDataJSON: text(clientData),
    attestationObject: 'AAAA',
    authenticatorData: 'AAAA',
    signature: 'AAAA',
  },
}
const withResponse = (members: object) => ({ ...whole, response: { ...whole.response, ...members } })
const withClientData = (members: object) => withResponse({ clientDataJSON: text({ ...clientData, ...members }) })
const throwing = new Proxy(
  {},
  {
    get: () => {
      throw new Error('hostile')
    },
    getOwnPropertyDescriptor: () => {
      throw new Error('hostile')
    },
  },
)
const circular: Record<string, unknown> = { ...whole }
circular.response = circular

const hostile: [what: string, response: unknown][] = [
  ['nothing', undefined],
  ['null', null],
  ['a number', 7],
  ['a function', () => whole],
  ['an empty text', ''],
  ['text that is no JSON', '{"id":'],
  ['a JSON text of null', 'null'],
  ['a JSON list', '[]'],
  ['an empty object', {}],
  ['a list', [whole]],
  ['a map', new Map(Object.entries(whole))],
  ['bytes', new Uint8Array(100)],
  ['a text of a megabyte', `"${'a'.repeat(1_000_000)}"`],
  ['a megabyte of a valid response', JSON.stringify({ ...whole, clientExtensionResults: 'a'.repeat(1_000_000) })],
  ['members of a megabyte', withResponse({ clientDataJSON: 'A'.repeat(1_000_000) })],
  ['an id of a megabyte', { ...whole, id: 'A'.repeat(1_000_000), rawId: 'A'.repeat(1_000_000) }],
  ['lists, nested deeply', deep('[', ']', 15_000)],
  ['objects, nested deeply', deep('{"a":', '}', 5_000).replace('}', '1}')],
  [
    'client data that is nested deeply',
    withResponse({ clientDataJSON: Buffer.from(deep('[', ']', 12_000)).toString('base64url') }),
  ],
  ['an object that throws', throwing],
  ['a response that throws', { ...whole, response: throwing }],
  ['an object that holds itself', circular],
  ['members of the prototype alone', Object.create(whole)],
  ['a prototype in JSON', '{"__proto__":{"id":"AAAA","rawId":"AAAA","type":"public-key"}}'],
  ['another type', { ...whole, type: 'password' }],
  ['an id that is a list', { ...whole, id: ['AAAA'], rawId: ['AAAA'] }],
  ['an id with padding', { ...whole, id: 'AA==', rawId: 'AA==' }],
  ['an id in base64', { ...whole, id: '++++', rawId: '++++' }],
  ['an id that is not canonical', { ...whole, id: 'AB', rawId: 'AB' }],
  ['client data that is a number', withResponse({ clientDataJSON: 1 })],
  ['client data with white space', withResponse({ clientDataJSON: `${text(clientData)} ` })],
  ['client data that is null', withResponse({ clientDataJSON: text(null) })],
  ['client data that is no UTF-8', withResponse({ clientDataJSON: Buffer.from([0xff, 0xfe]).toString('base64url') })],
  ['a challenge that is an object', withClientData({ challenge: {} })],
  ['a type that is a number', withClientData({ type: 1 })],
  ['an origin that is a list', withClientData({ origin: ['https://example.com'] })],
  ['crossOrigin that is a text', withClientData({ crossOrigin: 'false' })],
]

test.each(hostile)('a response is malformed: %s', async (_what, response) => {
  const bench = createBench()
  expect(await finishBoth(bench, response)).toEqual([malformed, malformed])
  expect(await bench.stored()).toEqual([[], []])
})

test.each<[what: string, members: object]>([
  ['authenticator data that is a number', { authenticatorData: 1 }],
  ['authenticator data with padding', { authenticatorData: 'AA==' }],
  ['a signature that is null', { signature: null }],
  ['a handle that is a number', { userHandle: 7 }],
  ['a handle with white space', { userHandle: 'AA ' }],
  ['empty authenticator data', { authenticatorData: '' }],
  ['authenticator data that ends early', { authenticatorData: 'AAAA' }],
])('the response of a sign-in is malformed: %s', async (_what, members) => {
  const bench = createBench()
  await registered(bench)
  const before = await bench.stored()
  const { options } = await bench.passkeys.startSignIn()
  const response = await bench.authenticator.get(options)
  const changed = { ...response, response: { ...response.response, ...members } }
  expect(await bench.passkeys.finishSignIn(changed)).toEqual(malformed)
  expect(await bench.stored()).toEqual(before)
})

const cbor = (hex: string) => ({ attestationObject: Buffer.from(hex, 'hex').toString('base64url') })

test.each<[what: string, members: object]>([
  ['an attestation that is a number', { attestationObject: 1 }],
  ['an empty attestation', { attestationObject: '' }],
  ['CBOR that is a number', cbor('00')],
  ['an empty map', cbor('a0')],
  ['a map of four billion members', cbor('bbffffffffffffffff')],
  ['a list of four billion members', cbor('9bffffffffffffffff')],
  ['bytes of four billion', cbor('5bffffffffffffffff')],
  ['CBOR that is nested deeply', cbor('81'.repeat(20_000))],
  ['maps of CBOR that are nested deeply', cbor('a100'.repeat(10_000))],
  ['CBOR tags that are nested deeply', cbor('c1'.repeat(20_000))],
  ['a form that is bytes, without data', cbor('a163666d7441ff')],
])('the response of a registration is malformed: %s', async (_what, members) => {
  const bench = createBench()
  const { options } = await bench.passkeys.startRegistration(ada)
  const response = await bench.authenticator.create(options)
  const changed = { ...response, response: { ...response.response, ...members } }
  expect(await bench.passkeys.finishRegistration(ada.id, changed, { name: 'Phone' })).toEqual(malformed)
  expect(await bench.stored()).toEqual([[], []])
})

test.each<[what: string, members: object]>([
  ['a million transports', { transports: Array.from({ length: 1_000_000 }, () => 'usb') }],
  ['a megabyte of attestation', { attestationObject: 'A'.repeat(1_000_000) }],
  ['lists of CBOR, nested deeply', cbor('81'.repeat(24_000))],
  ['maps of CBOR, nested deeply', cbor('a100'.repeat(12_000))],
  ['tags of CBOR, nested deeply', cbor('c1'.repeat(24_000))],
  ['a list of CBOR with many members', cbor(`995dc0${'00'.repeat(24_000)}`)],
])('a hostile response costs less than 100 ms of processor time: %s', async (what, members) => {
  const bench = createBench()
  const times: number[] = []
  for (let round = 0; round < 3; round++) {
    const { options } = await bench.passkeys.startRegistration(ada)
    const response = await bench.authenticator.create(options, { ignoresLists: true })
    const hostileResponse = { ...response, response: { ...response.response, ...members } }
    const finish = () => bench.passkeys.finishRegistration(ada.id, hostileResponse, { name: 'Phone' })
    times.push(await cpuMilliseconds(finish))
  }
  expectWithin(100, `${what} cost`, times)
})

test('transports that no browser knows are left out', async () => {
  const bench = createBench()
  const { options } = await bench.passkeys.startRegistration(ada)
  const response = await bench.authenticator.create(options)
  const transports = ['usb', 'carrier-pigeon', 7, null, '__proto__', 'usb']
  const changed = { ...response, response: { ...response.response, transports } }
  expect((await bench.passkeys.finishRegistration(ada.id, changed, { name: 'Phone' })).ok).toBe(true)
  expect((await bench.passkeys.startRegistration(ada)).options.excludeCredentials).toMatchObject([
    { transports: ['usb'] },
  ])
})

test('the text of a response is accepted as its JSON form is', async () => {
  const bench = createBench()
  const { options } = await bench.passkeys.startRegistration(ada)
  const response = JSON.stringify(await bench.authenticator.create(options))
  expect((await bench.passkeys.finishRegistration(ada.id, response, { name: 'Phone' })).ok).toBe(true)
})

test('a response with any content is refused without an exception', async () => {
  const bench = createBench()
  const anything = fc.anything({ withNullPrototype: true, withMap: true, withTypedArray: true, maxDepth: 4 })
  await fc.assert(
    fc.asyncProperty(fc.oneof(anything, fc.json(), fc.string()), async (response) => {
      for (const { ok } of await finishBoth(bench, response)) expect(ok).toBe(false)
    }),
  )
})

test('a response with any bytes in its members is refused without an exception', async () => {
  const bench = createBench()
  await registered(bench)
  const before = await bench.stored()
  const bytes = fc.uint8Array({ maxLength: 400 }).map((array) => Buffer.from(array).toString('base64url'))
  await fc.assert(
    fc.asyncProperty(bytes, bytes, bytes, async (one, two, three) => {
      const created = await bench.passkeys.startRegistration(ada)
      const attestation = await bench.authenticator.create(created.options, { ignoresLists: true })
      const attested = { ...attestation, response: { ...attestation.response, attestationObject: one } }
      expect((await bench.passkeys.finishRegistration(ada.id, attested, { name: 'Phone' })).ok).toBe(false)
      const asked = await bench.passkeys.startSignIn()
      const id = JSON.parse((await bench.documents.listByOwner(ada.id)).items[0]!.value).credentialId
      const assertion = await bench.authenticator.get(asked.options, { passkey: id })
      const asserted = { ...assertion, response: { ...assertion.response, authenticatorData: two, signature: three } }
      expect((await bench.passkeys.finishSignIn(asserted)).ok).toBe(false)
    }),
    { numRuns: 60 },
  )
  expect(await bench.stored()).toEqual(before)
})

test('a response with one changed byte is refused, because all signed bytes are checked', async () => {
  const bench = createBench({}, { attestation: 'packed' })
  await registered(bench)
  const id = JSON.parse((await bench.documents.listByOwner(ada.id)).items[0]!.value).credentialId
  const flip = (value: string, at: number) => {
    const bytes = Buffer.from(value, 'base64url')
    const index = at % bytes.length
    bytes[index] = bytes[index]! ^ (1 + (at % 255))
    return bytes.toString('base64url')
  }
  const members = ['clientDataJSON', 'authenticatorData', 'signature'] as const
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...members), fc.nat(10_000), async (member, at) => {
      const { options } = await bench.passkeys.startSignIn()
      const response = await bench.authenticator.get(options, { passkey: id })
      const changed = { ...response, response: { ...response.response, [member]: flip(response.response[member], at) } }
      expect((await bench.passkeys.finishSignIn(changed)).ok).toBe(false)
    }),
    { numRuns: 100 },
  )
})
