import type { ProviderIdentity } from '@latchkey/accounts'
import type { SignInSuccess } from '@latchkey/accounts/internal'
import { createProvidersBench, type ProvidersBench, type ProvidersBenchOptions } from './providers-bench.ts'

export type Identity = SignInSuccess['identity']

/** An account that is signed in by its password, here and on another device. */
export async function createSignedIn(options: ProvidersBenchOptions = {}) {
  const bench = createProvidersBench(options)
  const account = await bench.insert()
  const { identity, credentials } = await bench.signIn()
  const credential = credentials.delivery === 'session' ? credentials.credential : ''
  const elsewhere = await bench.signIn()
  const { id } = account
  const linkWith = (by: Identity, change: Partial<ProviderIdentity> = {}) =>
    bench.accounts.linkProvider({ ...bench.shown({ binding: `link:${by.key}`, ...change }), identity: by })
  return { bench, id, account, identity, credential, elsewhere, linkWith }
}

/** Returns the facts of an open session. */
export const identityOf = async ({ accounts, sessions }: ProvidersBench, credential: string): Promise<Identity> => {
  const facts = await accounts.identifySession(await sessions.read(credential))
  if (!facts) throw new Error('the session has ended')
  return facts
}

/** Returns the keys of what an account has open. */
export const openOf = async ({ sessions }: ProvidersBench, id: string) =>
  (await sessions.list(id)).map(({ key }) => key)
