import type { SignInSuccess } from '@latchkey/accounts/internal'
import type { Added, FactorsBench } from './factors-bench.ts'

/** An account of these passkeys, without a password, and the session of the last one. */
export async function withPasskeysAlone<Bench extends FactorsBench>(bench: Bench, count: number) {
  const { id } = await bench.insert()
  const passkeys: Added[] = []
  let signedIn: Pick<SignInSuccess, 'identity'> = await bench.signIn()
  for (let added = 0; added < count; added++) {
    const passkey = await bench.addPasskey(signedIn as SignInSuccess)
    passkeys.push(passkey)
    signedIn = passkey
  }
  const { epoch } = (await bench.store.get(id)) ?? { epoch: 0 }
  await bench.store.replace(id, { epoch }, { passwordHash: null })
  await bench.accounts.settled()
  bench.outbox.length = 0
  bench.events.length = 0
  return { bench, id, identity: signedIn.identity, ids: passkeys.map((passkey) => passkey.id) }
}
