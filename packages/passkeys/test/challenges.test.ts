import type { Passkeys, PasskeyVerdict, RegistrationVerdict } from '@latchkey/passkeys'
import { expect, test } from 'vitest'
import { ada, type Bench, bob, createBench, registered, start } from './passkeys-bench.ts'

type Verdict = PasskeyVerdict | RegistrationVerdict

/** A ceremony that has begun, and how it ends. */
interface Begun {
  finish(changes?: { accountId?: string; challenge?: string; binding?: string | null }): Promise<Verdict>
  readonly challenge: string
}

type Begin = (bench: Bench, binding?: string) => Promise<Begun>

const registration: Begin = async ({ passkeys, authenticator }, binding = undefined) => {
  const { challenge, options } = await passkeys.startRegistration(ada, { binding: binding ?? null })
  const response = await authenticator.create(options, { ignoresLists: true })
  return {
    challenge,
    finish: ({ accountId = ada.id, ...changes } = {}) =>
      passkeys.finishRegistration(accountId, response, { name: 'Phone', binding: binding ?? null, ...changes }),
  }
}

const signIn: Begin = async ({ passkeys, authenticator }, binding = undefined) => {
  const { challenge, options } = await passkeys.startSignIn({ binding: binding ?? null })
  const response = await authenticator.get(options)
  return {
    challenge,
    finish: (changes = {}) => passkeys.finishSignIn(response, { binding: binding ?? null, ...changes }),
  }
}

const ceremonies: [what: string, begin: Begin][] = [
  ['registration', registration],
  ['sign-in', signIn],
]

test.each(ceremonies)('the challenge of a %s is accepted once', async (_what, begin) => {
  const bench = createBench()
  await registered(bench)
  const { finish } = await begin(bench)
  expect((await finish()).ok).toBe(true)
  const before = await bench.stored()
  expect(await finish()).toEqual({ ok: false, reason: 'challenge' })
  expect(await bench.stored()).toEqual(before)
})

test.each(ceremonies)('the challenge of a %s is valid for five minutes', async (_what, begin) => {
  const bench = createBench()
  await registered(bench)
  const [early, late] = [await begin(bench), await begin(bench)]
  bench.clock.now = start + 299_999
  expect((await early.finish()).ok).toBe(true)
  const before = await bench.stored()
  bench.clock.now = start + 300_000
  expect(await late.finish()).toEqual({ ok: false, reason: 'challenge' })
  expect(await bench.stored()).toEqual(before)
})

test('a challenge expires by the clock of the service, even if the store is late', async () => {
  const { records } = createBench()
  const bench = createBench({ records })
  await registered(bench)
  const { finish } = await signIn(bench)
  bench.clock.now = start + 300_000
  expect(await finish()).toEqual({ ok: false, reason: 'challenge' })
})

test.each(ceremonies)('a %s can be finished only in the session that started it', async (_what, begin) => {
  const bench = createBench()
  await registered(bench)
  const { finish } = await begin(bench, 'se_1')
  const before = await bench.stored()
  for (const binding of ['se_2', '', null]) {
    expect(await finish({ binding })).toEqual({ ok: false, reason: 'binding' })
  }
  expect(await bench.stored()).toEqual(before)
  expect((await finish()).ok).toBe(true)
  const unbound = await begin(bench)
  expect(await unbound.finish({ binding: 'se_1' })).toEqual({ ok: false, reason: 'binding' })
})

test.each(ceremonies)('a %s is refused with a challenge that the caller does not remember', async (_what, begin) => {
  const bench = createBench()
  await registered(bench)
  const [one, other] = [await begin(bench), await begin(bench)]
  expect(await one.finish({ challenge: other.challenge })).toEqual({ ok: false, reason: 'challenge' })
  expect((await one.finish({ challenge: one.challenge })).ok).toBe(true)
  expect((await other.finish()).ok).toBe(true)
})

test('a registration is finished only for the account that started it', async () => {
  const bench = createBench()
  const { finish } = await registration(bench)
  expect(await finish({ accountId: bob.id })).toEqual({ ok: false, reason: 'account' })
  expect(await bench.stored()).toEqual([[], []])
  expect((await finish()).ok).toBe(true)
})

test('a challenge is not accepted in the other ceremony', async () => {
  const bench = createBench()
  const { passkeys, authenticator } = bench
  await registered(bench)
  const before = await bench.stored()
  const begunSignIn = await passkeys.startSignIn()
  const begunRegistration = await passkeys.startRegistration(ada)
  const swap = (challenge: string) => ({ challenge, ignoresLists: true })
  const attestation = await authenticator.create(begunRegistration.options, swap(begunSignIn.challenge))
  const assertion = await authenticator.get(begunSignIn.options, {
    ...swap(begunRegistration.challenge),
    passkey: JSON.parse((await bench.documents.listByOwner(ada.id)).items[0]!.value).credentialId,
  })
  const refusal = { ok: false, reason: 'ceremony' }
  expect(await passkeys.finishRegistration(ada.id, attestation, { name: 'Phone' })).toEqual(refusal)
  expect(await passkeys.finishSignIn(assertion)).toEqual(refusal)
  expect(await bench.stored()).toEqual(before)
})

test('a challenge is used up by a response that does not verify', async () => {
  const bench = createBench()
  await registered(bench)
  const { options } = await bench.passkeys.startSignIn()
  const forged = await bench.authenticator.get(options, { isForged: true })
  expect(await bench.passkeys.finishSignIn(forged)).toEqual({ ok: false, reason: 'signature' })
  const honest = await bench.authenticator.get(options)
  expect(await bench.passkeys.finishSignIn(honest)).toEqual({ ok: false, reason: 'challenge' })
})

test('the store of challenges holds no challenge and no session as plain text', async () => {
  const inserted: string[] = []
  const { records } = createBench()
  const spied = {
    ...records,
    insert: (record: Parameters<typeof records.insert>[0]) => {
      inserted.push(JSON.stringify(record))
      return records.insert(record)
    },
  }
  const { passkeys } = createBench({ records: spied })
  const { challenge } = await passkeys.startSignIn({ binding: 'se_the_session' })
  expect(inserted).toHaveLength(1)
  expect(inserted[0]).not.toContain(challenge)
  expect(inserted[0]).not.toContain('se_the_session')
  expect(JSON.parse(inserted[0]!).owner).toBeNull()
})

test('challenges are 32 random bytes', async () => {
  const { passkeys } = createBench()
  const challenges = await Promise.all(Array.from({ length: 100 }, () => passkeys.startSignIn()))
  expect(new Set(challenges.map(({ challenge }) => challenge)).size).toBe(100)
  for (const { challenge } of challenges) expect(challenge).toMatch(/^[\w-]{43}$/)
})

test('a challenge whose value was written by a newer release is an outage, and is kept', async () => {
  const bench = createBench()
  await registered(bench)
  const { records } = bench
  const newer = { ...records, get: async (key: string) => withVersion(await records.get(key)) }
  const { passkeys }: { passkeys: Passkeys } = createBench({ records: newer, documents: bench.documents })
  const { options } = await passkeys.startSignIn()
  const response = await bench.authenticator.get(options)
  await expect(passkeys.finishSignIn(response)).rejects.toMatchObject({ code: 'STORE_DATA_NEWER' })
  expect((await createBench({ records, documents: bench.documents }).passkeys.finishSignIn(response)).ok).toBe(true)
})

function withVersion<Found extends { readonly value: string } | null>(found: Found): Found {
  return found && { ...found, value: found.value.replace('"v":1', '"v":99') }
}
