import type { HttpRequest } from '@latchkey/http'

/** A client as pages name it. */
export interface NamedClient {
  readonly id: string
  readonly name: string
}

/** A request of a client that waits for the user of this browser. */
export interface WaitingRequest {
  readonly client: NamedClient
  readonly scopes: readonly string[]
  /** Those that the account has not allowed the client before. */
  readonly newScopes: readonly string[]
  /** Where the answer goes, for people: a host, or the scheme of an application. */
  readonly redirectTarget: string
  /** What `form-action` must name beside `'self'`. */
  readonly formTarget: string
  readonly loginHint: string | null
  readonly acrValues: readonly string[]
  readonly needs: 'sign-in' | 'second-factor' | null
  /** Who is signed in; `null`: nobody. */
  readonly subject: string | null
  /** To be posted with the decision. */
  readonly token: string | null
}

/** A device that waits for its user. */
export interface WaitingDevice {
  readonly ok: true
  readonly client: NamedClient
  readonly scopes: readonly string[]
  readonly newScopes: readonly string[]
  readonly token: string
}

export type DeviceRefusal =
  | { readonly ok: false; readonly reason: 'signed-out' | 'unknown' | 'token' }
  | { readonly ok: false; readonly reason: 'throttled'; readonly retryAfterSeconds: number }

export type DecisionRefusal = { readonly ok: false; readonly reason: 'unknown' | 'signed-out' | 'token' }

type Decision = 'allow' | 'deny'

/** What an account has allowed a client. */
export interface ListedGrant {
  readonly id: string
  readonly clientId: string
  /** `null`: there is no such client any more. */
  readonly clientName: string | null
  readonly scopes: readonly string[]
  /** Epoch milliseconds. */
  readonly givenAt: number
}

/** What the pages ask of an authorization server. */
export interface PageAuthorization {
  readRequest(browser: HttpRequest, handle: string | null): Promise<WaitingRequest | null>
  decide(
    browser: HttpRequest,
    decision: { readonly handle: string; readonly token: string | null; readonly decision: Decision },
  ): Promise<{ readonly ok: true; readonly location: string } | DecisionRefusal>
  readDevice(browser: HttpRequest, userCode: string): Promise<WaitingDevice | DeviceRefusal>
  decideDevice(
    browser: HttpRequest,
    decision: { readonly userCode: string; readonly token: string | null; readonly decision: Decision },
  ): Promise<{ readonly ok: true } | DeviceRefusal>
  listGrants(accountId: string): Promise<readonly ListedGrant[]>
  revokeGrant(accountId: string, grantId: string): Promise<boolean>
}
