import type { FactorProof, RecordStore } from '@latchkey/store'
import {
  createReplayTrackedCredentials,
  defineStoredShape,
  isStoredCount,
  isStoredText,
  storedList,
  storedObject,
  storedOrNull,
  type TracedVerdict,
} from '@latchkey/store/internal'

/** The data of a code: the values that the client must repeat, and the values of its tokens. */
export interface CodeValue {
  readonly clientId: string
  /** The one of the authorization request, which the token request must repeat. */
  readonly redirectUri: string
  /** The PKCE challenge, of the method S256. */
  readonly challenge: string
  readonly scopes: readonly string[]
  /** The resources that were asked for (RFC 8707); empty: the service's own. */
  readonly resources: readonly string[]
  /** `null`: the request had none. */
  readonly nonce: string | null
  /** The consent by which it was given. */
  readonly grantId: string
  /** The name of the browser's session, which stays the same through every renewal. */
  readonly sessionKey: string
  /** The epoch of the account at that session. */
  readonly epoch: number
  /** The factors that were proven for this session. */
  readonly factors: readonly FactorProof[]
  /** When the user has signed in last, epoch milliseconds: the claim `auth_time`. */
  readonly authenticatedAt: number
  /** The thumbprint of the key that the tokens must be bound to (`dpop_jkt`, RFC 9449 §10); `null`: none was named. */
  readonly keyBinding: string | null
}

/** The verdict on a code at the token endpoint. */
export type CodeVerdict =
  /** For exactly one caller. No token may be sent before `confirm`. */
  | { readonly ok: true; readonly accountId: string; readonly value: CodeValue }
  | { readonly ok: false; readonly reason: 'unknown' }
  /** It was used before: end what it `gave`. */
  | { readonly ok: false; readonly reason: 'used'; readonly gave: string; readonly accountId: string }

/** Authorization codes: they live 60 seconds, work once, and leave a trace of ten minutes. */
export interface AuthorizationCodes {
  create(accountId: string, value: CodeValue): Promise<string>
  /** Returns what an unused code was given for and leaves it unused, to check a request before its `use`. */
  read(code: string): Promise<UnusedCode | null>
  /** Uses a code: `ok` for exactly one caller. `gives`: the key of the family that is about to be stored for it. */
  use(code: string, gives: string): Promise<CodeVerdict>
  /** Whether the code was shown only once until now: to be asked once what `use` named is stored. */
  confirm(code: string): Promise<boolean>
}

export interface UnusedCode {
  readonly accountId: string
  readonly value: CodeValue
  use(gives: string): Promise<CodeVerdict>
}

const shape = defineStoredShape<CodeValue>({
  name: 'authorization code',
  members: {
    clientId: isStoredText,
    redirectUri: isStoredText,
    challenge: isStoredText,
    scopes: storedList(isStoredText),
    resources: storedList(isStoredText),
    nonce: storedOrNull(isStoredText),
    grantId: isStoredText,
    sessionKey: isStoredText,
    epoch: isStoredCount,
    factors: storedList(storedObject({ kind: isStoredText, at: isStoredCount })),
    authenticatedAt: isStoredCount,
    keyBinding: storedOrNull(isStoredText),
  },
})

export interface AuthorizationCodesOptions {
  readonly records: RecordStore
  readonly now: () => number
  readonly ttlSeconds: number
  readonly storedVersion: () => number
}

/**
 * Creates codes over a record store. A code is owned by its account, so the removal of all records of an account
 * includes it.
 */
export function createAuthorizationCodes(options: AuthorizationCodesOptions): AuthorizationCodes {
  const codes = createReplayTrackedCredentials({ ...options, kind: 'ac' })
  return {
    async create(accountId, value) {
      const { credential } = await codes.create({
        owner: accountId,
        value: shape.format(value, options.storedVersion()),
      })
      return credential
    },
    async read(code) {
      const found = await codes.read(code)
      return (
        found && {
          accountId: found.owner ?? '',
          value: shape.parse(found.value),
          use: async (gives) => toVerdict(await found.use(gives)),
        }
      )
    },
    use: async (code, gives) => toVerdict(await codes.use(code, gives)),
    confirm: (code) => codes.confirm(code),
  }
}

function toVerdict(verdict: TracedVerdict): CodeVerdict {
  if (verdict.ok) return { ok: true, accountId: verdict.owner ?? '', value: shape.parse(verdict.value) }
  if (verdict.reason === 'unknown') return { ok: false, reason: 'unknown' }
  return { ok: false, reason: 'used', gave: verdict.gave, accountId: verdict.owner ?? '' }
}
