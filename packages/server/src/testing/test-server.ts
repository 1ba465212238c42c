import type { Account, Message } from '@latchkey/accounts'
import type { AnyPolicy, OpenRoles } from '@latchkey/rbac'
import type { Server } from '../create-server.ts'
import type { ServerEvent } from '../options/observe/server-event.ts'

/** The response of the endpoint. */
export interface TestResult<Data = unknown> {
  readonly status: number
  /** The code of the first error: `FORBIDDEN`, `STEP_UP_REQUIRED`, …; `null` without errors. */
  readonly code: string | null
  readonly data: Data | null
  /** Empty without errors. */
  readonly errors: readonly {
    readonly message: string
    readonly path?: readonly (string | number)[]
    readonly extensions: Readonly<Record<string, unknown>>
  }[]
  readonly headers: Headers
}

/** A user of the service, with cookies of their own. */
export interface TestVisitor {
  /**
   * Sends an operation by POST, with the cookies that the service has set, and the `x-csrf-token` that a page of the service
   * would have read from `csrfToken`. It never rejects because of an answer.
   */
  graphql<Data = unknown>(
    query: string,
    variables?: Readonly<Record<string, unknown>>,
    options?: {
      /** Headers to add or replace; `null` omits one. */
      readonly headers?: Readonly<Record<string, string | null>>
    },
  ): Promise<TestResult<Data>>
  /** Requests any path, with the cookies and headers of `graphql`: for pages, forms and probes. */
  fetch(
    path: string,
    init?: Omit<RequestInit, 'headers'> & NonNullable<Parameters<TestVisitor['graphql']>[2]>,
  ): Promise<Response>
}

/** A visitor with an account, signed in. */
export interface SignedInVisitor extends TestVisitor {
  readonly account: Account
  /** The password of the account, to sign in again. */
  readonly password: string
  /**
   * Returns the current code of the authenticator app. Each code is accepted once, so advance the clock by 30 seconds
   * before the next code.
   * @throws TypeError for a visitor without `totp` in its `factors`, or if the server does not offer it.
   */
  totpCode(): Promise<string>
}

/** A service for tests, and the means to control it. */
export interface TestServer {
  /** The clock of the service: sessions, tokens, links, limits of age and step-up depend on it. */
  readonly clock: {
    /** Returns epoch milliseconds. Pass it to your own code that needs the same time. */
    now(): number
    /**
     * Advances the clock after pending work has finished at the previous time.
     * @throws TypeError for an invalid step: the clock only goes forward.
     */
    advance(
      /** The sum of its members, each a number of at least 0. */
      step: {
        readonly days?: number
        readonly hours?: number
        readonly minutes?: number
        readonly seconds?: number
        readonly milliseconds?: number
      },
    ): Promise<void>
  }
  /**
   * Returns a visitor with a new account, signed in, in a browser.
   * @throws TypeError for a role that the policy does not have.
   */
  signedIn(
    input: ({ readonly role: string } | { readonly roles: readonly string[] }) & {
      /**
       * The factors of the sign-in, proven just now: `password`, `totp`, `passkey`, `recovery-code`, … The second
       * factors are enrolled. If the server offers `totp`, it is real, with recovery codes. Other kinds are only noted
       * on the account, so a step-up by them fails.
       * @default ['password']
       */
      readonly factors?: readonly string[]
    },
  ): Promise<SignedInVisitor>
  /** Returns a visitor who is not signed in. */
  visitor(options?: {
    /**
     * The kind of client: a `browser` on a page of the service, whose requests have the headers of a browser, or an
     * `application` without them, for native delivery.
     * @default 'browser'
     */
    readonly agent?: 'browser' | 'application'
    /**
     * The address that the requests come from.
     * @default '192.0.2.1'
     */
    readonly address?: string
  }): TestVisitor
  /** Returns the mails sent so far, in order, to one address or to all. Pending mails are awaited. */
  mails(to?: string): Promise<readonly Message[]>
  /** The events so far, in order. */
  readonly events: readonly ServerEvent[]
  /** The roles that change, in a store of the test; `null` for a server without `accounts.changingRoles`. */
  readonly roles: OpenRoles<AnyPolicy> | null
  /** The new server, for everything else that a `Server` can do. */
  readonly server: Server
  /** Closes subscriptions, lets mails finish and closes the stores. A test that only sends requests may omit it. */
  close(): Promise<void>
}
