import type { SecretKeys } from '@latchkey/bytes'
import { createMemoryDocumentStore, type DocumentStore } from '@latchkey/store'
import { createTotp, type Totp, type TotpOptions } from '@latchkey/totp'
import { codeAt, wrongCodeAt } from './authenticator.ts'

export const secrets: SecretKeys = [{ id: '2026-11', bytes: new Uint8Array(32).fill(7) }]
export const account = 'acc_1'
export const refused = (reason: string) => ({ ok: false, reason })

const stepMs = 30_000

/** A factor on stores in memory, and a clock that stands at the begin of a step until it is advanced. */
export function openTotp(options: Partial<TotpOptions> = {}) {
  let time = 1_800_000_000_000
  const documents = options.documents ?? createMemoryDocumentStore()
  const totp = createTotp({ documents, secrets, issuer: 'Example', now: () => time, ...options })
  return {
    totp,
    documents,
    now: () => time,
    advance: (steps: number) => {
      time += steps * stepMs
    },
    /** The code that the app shows so many steps from now. */
    code: (secret: string, steps = 0) => codeAt(secret, time + steps * stepMs),
    wrong: (secret: string, skip = 0) => wrongCodeAt(secret, time, skip),
  }
}

/** The same with a confirmed factor, two steps after its confirmation. */
export async function openEnrolled(options: Partial<TotpOptions> = {}) {
  const opened = openTotp(options)
  const { secret } = await opened.totp.enroll(account, 'ada@example.com')
  const confirmed = await opened.totp.confirm(account, opened.code(secret))
  if (!confirmed.ok) throw new Error(confirmed.reason)
  opened.advance(2)
  return { ...opened, secret }
}

/** Everything that a store has of the account, as it is. */
export const storedOf = async (documents: DocumentStore) =>
  [...(await documents.listByOwner(account)).items].sort((one, other) => one.collection.localeCompare(other.collection))

/** The same without what a wrong code changes. */
export const uncountedOf = async (documents: DocumentStore) =>
  (await storedOf(documents)).map(({ version: _version, value, ...rest }) => ({
    ...rest,
    value: { ...JSON.parse(value), failures: 0 },
  }))

/** How many wrong codes in a row the factor of the account has counted. */
export const failuresOf = async (documents: DocumentStore): Promise<number> =>
  JSON.parse((await documents.get('factor-totp', account))?.value ?? '{"failures":0}').failures

/** So many wrong codes, one after another. */
export async function failTimes(totp: Totp, times: number, code: string): Promise<void> {
  for (let left = times; left > 0; left--) await totp.verify(account, code)
}
