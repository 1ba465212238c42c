import { randomToken } from '@latchkey/bytes'

/**
 * Returns pairs of different texts that a pattern, a prefix, a collation, a normalization or a separator confuses. A
 * random part distinguishes them from earlier runs on the same backend.
 */
export function confusablePairs(): readonly (readonly [what: string, text: string, twin: string])[] {
  const fresh = randomToken(16)
  return [
    ['a glob star', `${fresh}*`, `${fresh}abc`],
    ['a glob question mark', `${fresh}?`, `${fresh}x`],
    ['a glob class', `${fresh}[ab]`, `${fresh}a`],
    ['SQL wildcards', `${fresh}%_`, `${fresh}ab`],
    ['a prefix', `${fresh}1`, `${fresh}10`],
    ['letter case', `${fresh}A`, `${fresh}a`],
    ['white space at the end', fresh, `${fresh} `],
    ['composed and decomposed characters', `${fresh}\u00e9`, `${fresh}e\u0301`],
    ['characters beyond 16 bits', `${fresh}😀`, `${fresh}😁`],
    ['a key separator', `${fresh}:b:c`, `${fresh}:b`],
    ['a path', `${fresh}/../x`, `${fresh}/x`],
    ['quotes', `${fresh}'--`, `${fresh}"--`],
    ['a line break', `${fresh}\n`, `${fresh}\r\n`],
    ['the 512th byte', `${fresh}${'x'.repeat(489)}y`, `${fresh}${'x'.repeat(489)}z`],
    ['a member of every object', '__proto__', 'constructor'],
  ]
}
