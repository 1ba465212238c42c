/** What a person did, as the person knows it: the oracle reads nothing else of the service. */
export interface Deed {
  readonly number: number
  readonly what: string
  /** The account that it is about. */
  readonly account: string
  readonly machine: string
  readonly claims: Claims
  /** Steps of the schedule and epoch milliseconds. `Infinity`: it is under way. */
  readonly start: number
  readonly startedAt: number
  end: number
  endedAt: number
  outcome: Outcome
  /** For how many milliseconds its process could do nothing but wait until it was answered. */
  waitedMs: number
}

export type Outcome =
  | { readonly kind: 'under way' }
  /** The service said yes. */
  | ({ readonly kind: 'done' } & Yield)
  /** The service said no, with this code: nothing has changed. */
  | { readonly kind: 'refused'; readonly code: string }
  /** A store failed: it may have taken effect or not. */
  | { readonly kind: 'failed'; readonly code: string }
  /** The process was killed: it may have taken effect or not. */
  | { readonly kind: 'lost' }

/** What a person got from a deed that was done. */
export interface Yield {
  readonly credential?: Credential
  /** The answer does not tell whether it took effect. */
  readonly isUnsure?: boolean
  /** A second factor was asked for instead. */
  readonly isChallenged?: boolean
  /** The next refresh token of the presented credential. */
  readonly refreshToken?: string
  /** The roles that the service sees. */
  readonly roles?: readonly string[]
  /** The kinds of second factors that the service sees. */
  readonly enrolled?: readonly string[]
  /** The text that a second factor is asked for with. */
  readonly challenge?: string
  /** The text that a code by mail is shown with. */
  readonly mailedChallenge?: string
  /** The challenge that a passkey was asked to sign. */
  readonly ceremony?: string
  /** What the answer tells of the account, instead of what was claimed. */
  readonly sets?: Partial<Facts>
  /** The code that an application got. */
  readonly appCode?: string
  /** The keys of the sessions and families that the service lists. */
  readonly listed?: readonly string[]
  /** The ids of the API keys that the service lists. */
  readonly listedKeys?: readonly string[]
  /** What lets the device do without a second factor. */
  readonly trusted?: string
  /** There was nothing to revoke. */
  readonly isVain?: true
}

/** A session, a family of refresh tokens, one that an application has, an API key, or what acts as an account. */
export interface Credential {
  readonly key: string
  readonly kind: 'session' | 'family' | 'app' | 'key' | 'acting'
  readonly account: string
  readonly secret: string
  /** The session or family of the administrator who acts. */
  readonly standsOn?: Credential
  /** The name that a session keeps when another one replaces it, or that of the session that the access was given for. */
  readonly lineage?: string
  readonly accessToken?: string
  readonly refreshToken?: string
}

export interface Claims {
  /** The credential that was presented. */
  readonly presents?: Credential
  /** The refresh token that was presented. */
  readonly redeems?: string
  /** By what a repetition is known, for longer than the grace. */
  readonly attempt?: string
  /** The password that was presented as the account's own. */
  readonly password?: string
  /** The address of the account, as it was typed. */
  readonly email?: string
  /** The address that was asked for instead. */
  readonly newEmail?: string
  /** The address of the network from which it was presented. */
  readonly address?: string
  /** The answer to a second factor, of which each counts once. */
  readonly secondFactor?: string
  /** The app that has computed it, and for which 30 seconds; absent: it is a recovery code. */
  readonly app?: { readonly secret: string; readonly step: number }
  /** The challenge that it answers. */
  readonly answers?: string
  /** What was shown instead of a second factor. */
  readonly trusts?: string
  /** The token of a link that is only looked at. */
  readonly checks?: string
  /** The challenge for which all tries are used up. */
  readonly exhausts?: string
  /** The code that was presented for tokens. Presented again, it revokes them. */
  readonly code?: string
  /** The token of a link, which counts once. */
  readonly link?: string
  /** The user that the provider has identified. */
  readonly user?: string
  /** What a code by mail is shown with, and the code, which counts once. */
  readonly mailed?: { readonly challenge: string; readonly code: string }
  /** The passkey that was shown, and what it has signed before, which counts once; absent: it has signed for this deed. */
  readonly passkey?: { readonly id: string; readonly ceremony?: string }
  /** When its mail arrived, epoch milliseconds. */
  readonly mailedAt?: number
  /** What the account has afterwards. */
  readonly sets?: Partial<Facts>
  /** What is revoked: all that was open before, or a single credential. */
  readonly revokes?: 'all' | 'others' | Credential
  /** Whether it revokes what applications have. */
  readonly withdraws?: true
  /** The lineage of a session that ends, with what applications have for as long as it lasts. */
  readonly endsLineage?: string
  /** The lineage of a session that perhaps ends so. */
  readonly mayEndLineage?: string
  /** What the account may have after a refusal by another change that came first. */
  readonly leavesIfRefused?: Partial<Facts>
  /** Whether it removes the links that confirm another address, even if it is refused. */
  readonly removesConfirms?: true
  /** Another one that is revoked. */
  readonly alsoRevokes?: Credential
  /** Whether only the owner may do it, and somebody else tries. */
  readonly isForbidden?: true
  /** Those that go on when the others are revoked, or one of them; absent: the one that was presented. */
  readonly keeps?: readonly Credential[]
  /** Whether API keys go on. */
  readonly keepsKeys?: true
  /** Whether it may revoke all that was open before, and need not: a change to what was there already changes nothing. */
  readonly mayRevoke?: true
  /** Whether a failure leaves a claim, so that a later removal of another administrator revokes all that is open. */
  readonly lingers?: boolean
  /** What a refusal revokes: the family of a refresh token that was used before. */
  readonly revokesIfRefused?: Credential
  /** Whether a credential is issued if it is done. */
  readonly opens?: boolean
  /** The kind of its rows in the audit log. */
  readonly audited?: string
  /** The kind of its row if what was shown is refused. */
  readonly auditedIfRefused?: string
  /** The kind of the mail that tells the owner. */
  readonly mails?: string
}

/** What can be known of an account. */
export interface Facts {
  /** Null: it has none. */
  readonly password: string | null
  readonly email: string
  readonly status: 'missing' | 'unverified' | 'active' | 'locked' | 'disabled' | 'deleted'
  readonly roles: string
  readonly totp: string | null
  /** The recovery codes, separated by spaces. */
  readonly codes: string
  /** The user of the provider that is linked; null: none. */
  readonly user: string | null
  /** The passkey that is registered; null: none. */
  readonly passkey: string | null
}

/** A fact that only the service knows, as its answer was lost. It may be anything. */
export const unknown = '?'

/** New recovery codes that were not shown to anybody: none that a person has is one of them. */
export const unseen = '!'

/** What the account has afterwards, as far as it was done or may have been. */
export function setsOf({ outcome, claims }: Deed): Partial<Facts> | undefined {
  if (outcome.kind === 'refused' || (outcome.kind === 'done' && outcome.isChallenged)) return undefined
  return outcome.kind === 'done' && outcome.sets ? { ...claims.sets, ...outcome.sets } : claims.sets
}

/** Whether the service said yes, if only to what was shown so far. */
export const isAccepted = ({ outcome }: Deed): boolean => outcome.kind === 'done'
/** Whether it was done. */
export const isYes = ({ outcome }: Deed): boolean => outcome.kind === 'done' && !outcome.isChallenged
export const isNo = ({ outcome }: Deed, code: string): boolean => outcome.kind === 'refused' && outcome.code === code
