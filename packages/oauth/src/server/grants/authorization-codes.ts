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
  /** The redirect of the authorization request, which the token request must repeat. */
  readonly redirectUri: string
  /** The PKCE challenge, of the method S256. */
  readonly challenge: string
  readonly scopes: readonly string[]
  /** The requested resources (RFC 8707); empty: the first resource of the server. */
  readonly resources: readonly string[]
  /** `null`: the request omitted it. */
  readonly nonce: string | null
  /** The id of the consent. */
  readonly grantId: string
  /** The name of the browser's session, which stays the same through every renewal. */
  readonly sessionKey: string
  /** The epoch of the account at that session. */
  readonly epoch: number
  /** The factors that were proven for this session. */
  readonly factors: readonly FactorProof[]
  /** The time of the latest proof, in epoch milliseconds: the claim `auth_time`. */
  readonly authenticatedAt: number
  /** The thumbprint of the key that the tokens must be bound to (`dpop_jkt`, RFC 9449 §10); `null`: no key. */
  readonly keyBinding: string | null
}

/** The verdict on a code at the token endpoint. */
export type CodeVerdict =
  /** Returned to exactly one caller. Send no token before `confirm`. */
  | { readonly ok: true; readonly accountId: string; readonly value: CodeValue }
  | { readonly ok: false; readonly reason: 'unknown' }
  /** The code was used before. `gave`: the key of the family to revoke. */
  | { readonly ok: false; readonly reason: 'used'; readonly gave: string; readonly accountId: string }

/** Authorization codes. They expire after 60 seconds and work once. Their use is remembered for ten minutes. */
export interface AuthorizationCodes {
  create(accountId: string, value: CodeValue): Promise<string>
  /** Returns the data of an unused code, which stays unused, to check a request before `use`. */
  read(code: string): Promise<UnusedCode | null>
  /** Uses a code. Returns `ok: true` to exactly one caller. `gives`: the key of the family that is stored next. */
  use(code: string, gives: string): Promise<CodeVerdict>
  /** Returns whether the code was presented only once so far. Call it after the family of `use` is stored. */
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
