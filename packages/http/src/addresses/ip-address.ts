/** Four numbers of 8 bits (IPv4) or eight of 16 bits (IPv6). */
export type IpAddress = readonly number[]

/** Returns an address, IPv4-mapped IPv6 as IPv4 and without a zone, or `null` when the text is not one. */
export function parseIpAddress(text: string): IpAddress | null {
  if (text.length > 64) return null
  if (!text.includes(':')) return parseIpv4(text)
  const groups = parseIpv6(text.replace(/%[\w.-]+$/, ''))
  return groups && (ipv4OfMapped(groups) ?? groups)
}

/** Returns the canonical text of an address (RFC 5952 §4 for IPv6). */
export function formatIpAddress(address: IpAddress): string {
  if (address.length === 4) return address.join('.')
  const { start, length } = longestZeros(address)
  const hex = address.map((group) => group.toString(16))
  if (length < 2) return hex.join(':')
  return `${hex.slice(0, start).join(':')}::${hex.slice(start + length).join(':')}`
}

/** Without leading zeros, which some software takes for octal. */
function parseIpv4(text: string): IpAddress | null {
  const parts = text.split('.')
  const numbers = parts.map(Number)
  const isAddress = parts.length === 4 && numbers.every((number, index) => number < 256 && `${number}` === parts[index])
  return isAddress && /^[\d.]+$/.test(text) ? numbers : null
}

function parseIpv6(text: string): IpAddress | null {
  const halves = text.split('::')
  if (halves.length > 2) return null
  const [head = [], tail = []] = halves.map((half, index) => parseGroups(half, index === halves.length - 1))
  if (!head || !tail) return null
  const missing = 8 - head.length - tail.length
  if (halves.length === 1) return missing === 0 ? head : null
  return missing < 1 ? null : [...head, ...new Array<number>(missing).fill(0), ...tail]
}

/** The very last two groups may be written as an IPv4 address (RFC 4291 §2.2). */
function parseGroups(text: string, isLast: boolean): IpAddress | null {
  if (text === '') return []
  const groups: number[] = []
  for (const part of isLast ? splitIpv4(text) : text.split(':')) {
    if (!/^[0-9a-f]{1,4}$/i.test(part)) return null
    groups.push(Number.parseInt(part, 16))
  }
  return groups
}

/** Returns the groups of a text, an IPv4 address at its end as two. */
function splitIpv4(text: string): string[] {
  const parts = text.split(':')
  const [a = 0, b = 0, c = 0, d = 0] = parseIpv4(parts.at(-1) ?? '') ?? [-1]
  if (a < 0) return parts
  return [...parts.slice(0, -1), (a * 256 + b).toString(16), (c * 256 + d).toString(16)]
}

/** `::ffff:0:0/96` (RFC 4291 §2.5.5.2): how a dual-stack socket shows an IPv4 peer. */
function ipv4OfMapped(groups: IpAddress): IpAddress | null {
  const [high, low] = groups.slice(6)
  if (high === undefined || low === undefined) return null
  if (groups[5] !== 0xffff || groups.slice(0, 5).some((group) => group !== 0)) return null
  return [high >> 8, high & 255, low >> 8, low & 255]
}

function longestZeros(groups: IpAddress): { start: number; length: number } {
  let best = { start: 0, length: 0 }
  let length = 0
  for (const [index, group] of groups.entries()) {
    length = group === 0 ? length + 1 : 0
    if (length > best.length) best = { start: index - length + 1, length }
  }
  return best
}
