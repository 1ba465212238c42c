import type { Collection } from '@latchkey/store/internal'
import type { AccountSecrets } from './account-secrets.ts'
import type { PasskeyAlgorithm } from './algorithms.ts'
import type { Challenges } from './challenges.ts'
import type { PasskeyValue } from './passkey.ts'
import type { CheckedRelyingParty } from './relying-party.ts'

/** The dependencies of all ceremonies. */
export interface PasskeysContext {
  readonly passkeys: Collection<PasskeyValue>
  readonly challenges: Challenges
  readonly accountSecrets: AccountSecrets
  readonly relyingParty: CheckedRelyingParty
  readonly algorithms: readonly PasskeyAlgorithm[]
  readonly userVerification: 'required' | 'preferred'
  readonly challengeSeconds: number
  readonly now: () => number
}
