import type { HostCheck, HttpRequest } from '@latchkey/http'
import type { BaseUrl } from '../settings/base-url.ts'

/** Which second factors the service was given, as a page shows them. */
export interface PageOffers {
  readonly totp: boolean
  readonly passkeys: boolean
  /** For how many days a device is remembered; `null`: not at all. */
  readonly rememberDays: number | null
  /**
   * The same service at a host of which passkeys are, such as `http://localhost:4000` in place of an address; `null`: they
   * work where the request was sent.
   */
  readonly passkeyOrigin: string | null
}

export interface OfferedPlan {
  readonly options: {
    readonly totp?: unknown
    readonly passkeys?: unknown
    readonly rememberDevices?: { readonly days: number }
  }
  readonly base: BaseUrl
  readonly hosts: HostCheck
}

/** Returns what the service offers at the host of a request. */
export function offersAt(request: HttpRequest, { options, base, hosts }: OfferedPlan): PageOffers {
  const verdict = hosts.check(request)
  return {
    totp: options.totp !== undefined,
    passkeys: options.passkeys !== undefined,
    rememberDays: options.rememberDevices?.days ?? null,
    passkeyOrigin: verdict.ok ? originForPasskeys(verdict.host, base) : null,
  }
}

/** A passkey belongs to a name, and an address is none (WebAuthn §5.1.3): on loopback `localhost` is the name. */
function originForPasskeys(host: string, { origin, environment }: BaseUrl): string | null {
  const { hostname, port } = new URL(`http://${host}`)
  if (environment === 'production' || !/^(?:127(?:\.\d+){3}|\[::1\])$/.test(hostname)) return null
  return `${new URL(origin).protocol}//localhost${port === '' ? '' : `:${port}`}`
}
