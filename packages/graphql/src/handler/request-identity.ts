import type { HttpReply, HttpRequest, IdentityReader, IdentityReading } from '@latchkey/http'
import type { Identity } from '@latchkey/rbac'
import { checkOrigin, type OriginOptions } from './check-origin.ts'

/** Who sent a request. */
export interface RequestIdentity extends IdentityReading<Identity> {
  /** Whether the check of the origin failed, or there is none. Credential fields are rejected then. */
  readonly forged: boolean
  /** Sent with the response, unless a resolver queues another header of the name. */
  readonly headers: HttpReply['headers']
  /**
   * Reads the identity again if the body took longer than 250 ms to arrive: a session may have ended since. Omitted: it is
   * not read again.
   */
  reidentify?(): Promise<IdentityReading<Identity>>
}

/** Returns who sent a request. */
export type Identify = (request: HttpRequest) => Promise<RequestIdentity>

export interface IdentifyOptions extends OriginOptions {
  readonly identify: IdentityReader<Identity>
  readonly reidentify?: IdentityReader<Identity>
}

/** Creates what checks the origin and then reads the identity: a forged request costs no look-up. */
export function createIdentify(options: IdentifyOptions): Identify {
  return async (request) => identify(request, checkOrigin(request, options), options)
}

/** Reads the identity of a request whose origin is judged. */
export async function identify(
  request: HttpRequest,
  forged: boolean,
  { identify: reader, reidentify = reader }: IdentifyOptions,
): Promise<RequestIdentity> {
  const { identity, credential } = await reader.read(request)
  return { identity, credential, forged, headers: [], reidentify: () => reidentify.read(request) }
}
