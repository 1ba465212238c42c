const lengthLimit = 2048

/** Each round takes the time of the whole path, and no honest path is encoded as often. */
const roundsAtMost = 10

/**
 * Returns whether a text is a path of this site, safe to redirect to (`returnTo`). Refuses every text that a browser,
 * or a server that decodes or normalises it again, could take for another host or another header: `//evil.example`,
 * `/\evil.example`, `/%2fevil.example`, `/.//evil.example`, control characters, characters beyond ASCII, texts encoded
 * more than ten times, and more than 2048 characters.
 *
 * @example
 * import { isLocalPath } from '@latchkey/http'
 * isLocalPath('/inbox?page=2') // true
 * isLocalPath('//evil.example') // false
 */
export function isLocalPath(text: string): boolean {
  if (typeof text !== 'string' || text.length > lengthLimit || !/^\/[!-[\]-~]*$/.test(text)) return false
  const [path = ''] = text.split(/[?#]/, 1)
  const plain = decodeAll(path)
  return plain !== null && /^[ -[\]-~]*$/.test(plain) && !/\/\/|\/\.{1,2}(?:\/|$)/.test(plain)
}

/** Decodes ASCII repeatedly until no escape is left, as a chain of servers might. */
function decodeAll(path: string): string | null {
  let decoded = path
  for (let round = 0; round <= roundsAtMost; round++) {
    const before = decoded
    decoded = before.replace(/%([0-7][\da-f])/gi, (_escape, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    )
    if (decoded === before) return decoded
  }
  return null
}
