const lengthLimit = 2048

/**
 * Tells whether a text is a path of this very site, safe to redirect to (`returnTo`). Refused is whatever a browser, or
 * a server that decodes or normalises it once more, could take for another host or another header: `//evil.example`,
 * `/\evil.example`, `/%2fevil.example`, `/.//evil.example`, control characters, anything beyond ASCII, more than 2048
 * characters.
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
  return /^[ -[\]-~]*$/.test(plain) && !/\/\/|\/\.{1,2}(?:\/|$)/.test(plain)
}

/** Decodes ASCII until nothing is left to decode, as if it went through any number of servers. */
function decodeAll(path: string): string {
  let decoded = path
  for (let before = ''; before !== decoded; ) {
    before = decoded
    decoded = before.replace(/%([0-7][\da-f])/gi, (_escape, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    )
  }
  return decoded
}
