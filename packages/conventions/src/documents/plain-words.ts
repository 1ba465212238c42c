import type { House } from '../house/house.ts'

/** How many texts of one kind a folder has, and how many of them need a second read. */
export interface PlainWords {
  /** A package, an example, or `docs` for all other documents. */
  readonly folder: string
  readonly kind: TextKind
  readonly texts: number
  /** Where each text that needs a second read stands, and its first words. */
  readonly flagged: readonly string[]
  /** The permitted number of flagged texts, because a pattern also flags some good sentences. */
  readonly limit: number
}

type TextKind = keyof typeof limits

interface Text {
  readonly kind: TextKind
  readonly line: number
  readonly text: string
}

/** The permitted share of flagged texts. */
const limits = { comments: 0.1, paragraphs: 0.1, titles: 0.1 } as const

/** Words in the place of a noun or a condition, for which a reader has to search. */
const patterns: readonly RegExp[] = [
  /(?:^|[.,;:(] |\b(?:of|for|to|by|from|with|as|and|or|than|that) )who(?:m|se|ever)?\b/im,
  /(?:^|[.,;:(] |\b(?:of|for|to|by|from|with|as|and|or|than|that|all|is|not|only|but|without) )what(?:ever)?\b/im,
  /\b(?:where|wherever) (?:there|it|one|no|none|nothing|this|that|the|they|an?|only)\b/i,
  /\b(?:is|are|has|have|or|and) (?:none|one)\b(?! of the)|\bthose? (?:of|that|who|which)\b|\bthat of\b|\beach other\b/i,
  /\bsuch (?:a|an|as)\b|\b(?:the (?:other|first|last|next)|another) one\b/i,
  /\b(?:nothing|nobody|somebody|anybody|everybody|no one|whoever)\b/i,
  /\b(?:but for|by itself|of its own|as it is|any more|no more|in force|at hand|beside|goes on|all the same)\b/i,
  /\b(?:comes? of|is (?:told|said|asked|judged|believed)|asks? for|stands? (?:in|for|at)|lets? in)\b/i,
  /\b(?:ended|begun|began)\b|\b(?:ends|begins)\b(?! with)/i,
]
const fragment = /^(?:so|but|and|that|which|of|from|for|to|with|in|when|also)\b/i

/** Returns, for each folder and kind of text, the texts with words that most readers would have to read twice. */
export function plainWords(house: House): readonly PlainWords[] {
  const found = new Map<string, PlainWords & { texts: number; flagged: string[] }>()
  for (const path of house.files) {
    if (!/\.(ts|tsx|mjs|js|md)$/.test(path) || /(^|\/)(CHANGELOG|LICENSE)|\/api\//.test(path)) continue
    const [folder = 'docs'] = path.match(/^(?:packages|examples)\/[^/]+(?=\/)/) ?? []
    for (const { kind, line, text } of textsOf(path, house.read(path))) {
      const key = `${folder} ${kind}`
      const count = found.get(key) ?? { folder, kind, texts: 0, flagged: [], limit: 0 }
      count.texts += 1
      if (needsSecondRead(kind, text)) count.flagged.push(`${path}:${line} ${text.slice(0, 120)}`)
      found.set(key, count)
    }
  }
  return [...found.values()].map((count) => ({ ...count, limit: Math.ceil(count.texts * limits[count.kind]) }))
}

function needsSecondRead(kind: TextKind, text: string): boolean {
  const prose = text.replace(/`[^`]*`|\$\{[^}]*\}/g, 'X')
  return patterns.some((pattern) => pattern.test(prose)) || (kind === 'titles' && fragment.test(prose))
}

function textsOf(path: string, source: string): readonly Text[] {
  if (path.endsWith('.md')) {
    const prose = source.replace(/```[\s\S]*?```/g, (block) => block.replace(/\S/g, ' '))
    const paragraphs = read('paragraphs', prose, /(?<=^|\n\n)(?![#|<!\s-])(.+(?:\n(?![\n#|]).+)*)/g)
    return paragraphs.filter(({ text }) => text.split(' ').length >= 12)
  }
  if (/(^|\/)test\//.test(path)) {
    const call =
      /\b(?:it|test|describe)(?:\.each\([\s\S]*?\)|\.\w+)*\(\s*(?:'((?:\\.|[^'\\])*)'|"([^"\n]*)"|`([^`]*)`)/g
    return read('titles', source, call)
  }
  return read('comments', source, /\/\*\*([\s\S]*?)\*\//g)
}

function read(kind: TextKind, source: string, pattern: RegExp): readonly Text[] {
  return [...source.matchAll(pattern)].flatMap(({ index, 1: one, 2: two, 3: three }) => {
    const text = (one ?? two ?? three ?? '').replace(/^\s*\* ?/gm, '').replace(/@example[\s\S]*/, '')
    const line = source.slice(0, index).split('\n').length
    return text.trim() === '' ? [] : [{ kind, line, text: text.replace(/\s+/g, ' ').trim() }]
  })
}
