import { formatIpAddress, parseIpAddress } from '../addresses/ip-address.ts'

/** A host in the form of comparisons: lower case, without a final dot, an address in its canonical form. */
export interface HostName {
  readonly name: string
  /** `null`: the default of the scheme, which a `Host` header does not say. */
  readonly port: number | null
}

/** Names of DNS have at most 253 characters (RFC 1035 §2.3.4); a port and a final dot come on top. */
const longest = 260

/**
 * Returns the host of a text, for example `example.com:8080` or `[::1]`, or `null` if it is not a host (RFC 3986
 * §3.2.2).
 */
export function parseHost(text: string): HostName | null {
  if (text.length > longest) return null
  const [, address, name, digits = ''] = /^(?:\[([\da-f:.]+)\]|([\w-]+(?:\.[\w-]+)*)\.?)(?::(\d*))?$/i.exec(text) ?? []
  const port = digits === '' ? null : Number(digits)
  if (port !== null && port > 65_535) return null
  if (name !== undefined) return { name: name.toLowerCase(), port }
  const parsed = address?.includes(':') ? parseIpAddress(address) : null
  return parsed && { name: parsed.length === 4 ? formatIpAddress(parsed) : `[${formatIpAddress(parsed)}]`, port }
}

/** Returns the one text of a host that all its spellings have. */
export function formatHost({ name, port }: HostName): string {
  return port === null ? name : `${name}:${port}`
}
