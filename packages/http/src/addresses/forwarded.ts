import { type IpAddress, parseIpAddress } from './ip-address.ts'

/** Returns the hops of a header, the nearest last; `null` for one that is hidden or not valid. */
export function forwardedAddresses(value: string, header: 'x-forwarded-for' | 'forwarded'): (IpAddress | null)[] {
  if (header === 'x-forwarded-for') return value.split(',').map((hop) => parseNode(hop.trim()))
  return splitUnquoted(value, ',')?.map(parseElement) ?? [null]
}

/** RFC 7239 §4: `for=192.0.2.43;proto=https`. Two `for` in one element are ignored. */
function parseElement(element: string): IpAddress | null {
  const nodes: string[] = []
  for (const pair of splitUnquoted(element, ';') ?? []) {
    const [, name = '', token, quoted] = /^\s*([\w-]+)=(?:([\w!#$%&'*+.^`|~:[\]-]+)|"([^"\\]*)")\s*$/.exec(pair) ?? []
    if (name === '') return null
    if (name.toLowerCase() === 'for') nodes.push(token ?? quoted ?? '')
  }
  return nodes.length === 1 ? parseNode(nodes[0] ?? '') : null
}

/** An address, perhaps with a port: `192.0.2.43:80`, `[2001:db8::1]:80`, `2001:db8::1` (RFC 7239 §6). */
function parseNode(node: string): IpAddress | null {
  const [, bracketed, ipv4] = /^(?:\[([^\]]*)\]|([\d.]+))(?::\d{1,5})?$/.exec(node) ?? []
  return parseIpAddress(bracketed ?? ipv4 ?? node)
}

/** Returns the parts between separators outside quotes, or `null` when a quote is never closed. */
function splitUnquoted(text: string, separator: string): string[] | null {
  const parts = ['']
  let isQuoted = false
  for (const character of text) {
    if (character === '"') isQuoted = !isQuoted
    if (character === separator && !isQuoted) parts.push('')
    else parts[parts.length - 1] += character
  }
  return isQuoted ? null : parts
}
