import type { AccountsEvent } from '@latchkey/accounts'
import type { AuditEvent } from '@latchkey/audit'
import type { LatchkeyEvent } from '@latchkey/core'
import type { FailureFacts } from '@latchkey/core/internal'
import type { AccessEvent } from '@latchkey/graphql'
import type { BreachCheckEvent } from '@latchkey/password'
import type { SessionsEvent } from '@latchkey/sessions'
import type { AuthorizationEvent } from './authorization-event.ts'

/**
 * A decision of the service, or a failure. Each decision is one event. Events contain no secret, token, password, hash
 * or e-mail address.
 */
export type ServerEvent =
  | AccountsEvent
  | Extract<SessionsEvent, { type: 'session.touch-failed' }>
  | AccessEvent
  | AuditEvent
  | BreachCheckEvent
  | AuthorizationEvent
  /** A new key signs access tokens. */
  | (LatchkeyEvent & {
      readonly type: 'key.rotated'
      /** The `kid` of the new key, which is public. */
      readonly keyId: string
    })
  /** After a leak a new key signs access tokens, and every earlier one is refused. */
  | (LatchkeyEvent & {
      readonly type: 'key.replaced'
      /** The `kid` of the new key, which is public. */
      readonly keyId: string
    })
  /** An access token was revoked; its session stays valid. `accountId` is `null` for a token of a machine. */
  | (LatchkeyEvent & {
      readonly type: 'token.revoked'
    })
  /** A tool was called at `/mcp`, with any outcome. Events do not contain the arguments. */
  | (LatchkeyEvent & {
      readonly type: 'mcp.called'
      /** The client, or the machine; `null`: an API key was sent. */
      readonly clientId: string | null
      /** The public id of the API key; `null`: none was sent. */
      readonly apiKeyId: string | null
      /** Its name. */
      readonly tool: string
      readonly operation: 'query' | 'mutation'
      /** SHA-256 of its document, in hexadecimal. */
      readonly documentHash: string
      /** `refused`: access was refused, or there were too many calls. `failed`: the result is an error. */
      readonly outcome: 'done' | 'failed' | 'refused'
    })
  /** An operator's decision about a client of the authorization server. The event contains no secret. */
  | (LatchkeyEvent & {
      /**
       * - `client.created`: it was registered.
       * - `client.disabled`: it was disabled, and its grants and tokens were revoked.
       * - `client.secret-replaced`: it has a new secret, and the earlier secrets are invalid.
       * - `client.blocked`, `client.unblocked`: unregistered clients, by host or by id.
       */
      readonly type:
        | 'client.created'
        | 'client.disabled'
        | 'client.secret-replaced'
        | 'client.blocked'
        | 'client.unblocked'
      /** Its id, or the host. */
      readonly clientId: string
    })
  /**
   * The clocks of this process and of the store differ by more than 2 s. The service uses the store's clock, also for
   * `at`. Emitted once until they agree again.
   */
  | (LatchkeyEvent & {
      readonly type: 'clock.skewed'
      /** How far this process is ahead; negative: behind. */
      readonly skewMs: number
    })
  /** The service failed outside GraphQL. The answer was 503 or 500, without the reason. */
  | (LatchkeyEvent &
      FailureFacts & {
        readonly type: 'service.failed'
        /**
         * The part that failed: a page, an endpoint for clients, `/jwks`, `/.well-known/webauthn`, the readiness check,
         * or the roles, whose stored form cannot be used, so the previous roles stay.
         */
        readonly during: 'page' | 'oauth' | 'jwks' | 'related-origins' | 'readiness' | 'roles'
      })
  /**
   * A request was for a host that is not served, and was answered 421. Reported once an hour for each host, and for at most
   * a hundred hosts an hour.
   */
  | (LatchkeyEvent & {
      readonly type: 'host.refused'
      /** The refused host in canonical form. The client chose it; it contains letters, digits and `.-_:[]` only. */
      readonly host: string
      /**
       * The option of `createServer` that would allow the host: `http.allowedOrigins` for requests of a browser's page,
       * for example behind the proxy of a development server; otherwise `http.allowedHosts`.
       */
      readonly setting: 'http.allowedOrigins' | 'http.allowedHosts'
    })
  /**
   * In development only: a request or a passkey was refused because the origin of its page is not allowed. Reported
   * once for each origin and check, for at most a hundred.
   */
  | (LatchkeyEvent & {
      readonly type: 'origin.refused'
      /** The origin that the client sent: printable ASCII, at most 200 characters. */
      readonly origin: string
      readonly check: 'forgery' | 'passkey'
      /** The option of `createServer` that would allow it. */
      readonly setting: 'http.allowedOrigins'
    })
  /**
   * Requests of an address wait, because it used more than its share of the event loop while other clients waited.
   * Reported once a minute for each address, for at most a hundred addresses a minute. `address` is `null` if there
   * were more addresses than the queue distinguishes.
   */
  | (LatchkeyEvent & {
      readonly type: 'address.throttled'
      /** The part of the event loop's time that it had taken, over two seconds. */
      readonly share: number
      /** The option of `createServer` that has the limits. */
      readonly setting: 'http.fairQueue'
    })
  /** The service has opened with cookies without `Secure`, which only this machine may use. */
  | (LatchkeyEvent & {
      readonly type: 'transport.weakened'
      /** The option of `createServer` that allows it. */
      readonly setting: 'http.transport'
    })
