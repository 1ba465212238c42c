import { createPasskeys, type Passkeys, type PasskeysOptions } from '@latchkey/passkeys'
import { createSoftwareAuthenticator, type SoftwareAuthenticator } from '@latchkey/passkeys/testing'
import {
  createMemoryDocumentStore,
  createMemoryRecordStore,
  type DocumentStore,
  type RecordStore,
} from '@latchkey/store'

export const origin = 'https://example.com'
export const ada = { id: 'acc_ada', name: 'ada@example.com', displayName: 'Ada' }
export const bob = { id: 'acc_bob', name: 'bob@example.com', displayName: 'Bob' }
export const start = 1_790_000_000_000

export type CeremonyDefects = NonNullable<Parameters<SoftwareAuthenticator['create']>[1]>

export interface Bench {
  readonly passkeys: Passkeys
  readonly documents: DocumentStore
  readonly records: RecordStore
  readonly authenticator: SoftwareAuthenticator
  readonly clock: { now: number }
  /** Registers a passkey of Ada. */
  register(defects?: CeremonyDefects): ReturnType<Passkeys['finishRegistration']>
  /** Signs in without a user name. */
  signIn(defects?: CeremonyDefects): ReturnType<Passkeys['finishSignIn']>
  /** Everything that is stored for Ada and Bob. */
  stored(): Promise<unknown>
}

export function createBench(
  options: Partial<PasskeysOptions> = {},
  device: Partial<Parameters<typeof createSoftwareAuthenticator>[0]> = {},
): Bench {
  const clock = { now: start }
  const now = () => clock.now
  const { documents = createMemoryDocumentStore(), records = createMemoryRecordStore({ now }) } = options
  const passkeys = createPasskeys({
    documents,
    records,
    secrets: [{ id: '2026-01', bytes: new Uint8Array(32).fill(7) }],
    relyingParty: { id: 'example.com', name: 'Example', origins: [origin] },
    now,
    ...options,
  })
  const authenticator = createSoftwareAuthenticator({ origin, ...device })
  return {
    passkeys,
    documents,
    records,
    authenticator,
    clock,
    async register(defects) {
      const { options: wanted } = await passkeys.startRegistration(ada)
      return passkeys.finishRegistration(ada.id, await authenticator.create(wanted, defects), { name: 'Phone' })
    },
    async signIn(defects) {
      const { options: wanted } = await passkeys.startSignIn()
      return passkeys.finishSignIn(await authenticator.get(wanted, defects))
    },
    stored: () =>
      Promise.all([ada, bob].map(({ id }) => documents.listByOwner(id))).then((pages) =>
        pages.map(({ items }) => items),
      ),
  }
}

/** A passkey that was registered, or the failure of the test. */
export async function registered({ register }: Pick<Bench, 'register'>) {
  const verdict = await register()
  if (!verdict.ok) throw new Error(`not registered: ${verdict.reason}`)
  return verdict.passkey
}
