import { requiredScore } from './plan.mjs'
import { findWord, restoreWords } from './query-words.mjs'

const noticed = ['Killed', 'Timeout']
// `RuntimeError` is a mistake of the runner: nothing is known of the mutant.
const unnoticed = ['Survived', 'NoCoverage', 'RuntimeError']

/**
 * Returns what a report amounts to: the score, the mutants that made the tests hang, the survivors that are not listed, and
 * the listed ones that are stale, because a test notices them now or their line is gone.
 *
 * @param report `files`: what Stryker reports, by file; `originals`: what `writeQueryWords` returned
 * @param listed survivors with their reasons: `file`, `line`, `mutator`, `to` and `reason`
 */
export function judge({ files, originals }, listed) {
  const mutants = Object.entries(files).flatMap(([file, report]) => describeMutants(file, report, originals))
  const killed = mutants.filter(({ status }) => noticed.includes(status))
  const alive = mutants.filter(({ status }) => unnoticed.includes(status))
  const known = new Set(listed.map(identify))
  const identified = new Set(alive.map(identify))
  const score = killed.length + alive.length === 0 ? 100 : (100 * killed.length) / (killed.length + alive.length)
  const unlisted = alive.filter((mutant) => !known.has(identify(mutant)))
  const stale = listed.filter((entry) => files[entry.file] && !identified.has(identify(entry)))
  return {
    score: Math.floor(score * 100) / 100,
    mutants: killed.length + alive.length,
    killed: killed.length,
    hanging: mutants.filter(({ status }) => status === 'Timeout'),
    unlisted,
    listed: listed.filter((entry) => identified.has(identify(entry))),
    stale,
    passed: score >= requiredScore && unlisted.length === 0,
  }
}

/**
 * Returns the files of a report that an earlier run has kept without the survivors that are not listed, so that they are judged
 * anew. Stryker believes in them until a test is added that reaches them: it does not know which tests reach what runs while
 * a module loads, nor that a kit has changed.
 */
export function forgetUnlisted({ files, originals }, listed) {
  const known = new Set(listed.map(identify))
  return Object.fromEntries(
    Object.entries(files).map(([file, report]) => {
      const described = describeMutants(file, report, originals)
      const isKept = ({ status }, index) => !unnoticed.includes(status) || known.has(identify(described[index]))
      return [file, { ...report, mutants: report.mutants.filter(isKept) }]
    }),
  )
}

/** By its line and not by the number of its line, which changes with every edit above it. */
function identify({ file, line, mutator, from, to }) {
  return JSON.stringify([file, line, mutator, from, to])
}

function describeMutants(file, { source, mutants }, originals) {
  const lines = source.split('\n')
  const original = originals[file] ?? { lines, words: [] }
  return mutants.map((mutant) => describeMutant(file, { lines, original }, mutant))
}

function describeMutant(file, { lines, original }, { mutatorName, replacement, status, location }) {
  const { start, end } = location
  const first = lines[start.line - 1] ?? ''
  const { words } = original
  const place = { file, at: start.line, line: (original.lines[start.line - 1] ?? '').trim(), status }
  const word = findWord(first, start.column - 1, words)
  if (word) return { ...place, mutator: 'QueryWord', from: word[0].trim(), to: word[1].trim() }
  const text = lines.slice(start.line - 1, end.line).join('\n')
  const tail = (lines[end.line - 1] ?? '').length - (end.column - 1)
  const from = brief(restoreWords(text.slice(start.column - 1, text.length - tail), words))
  return { ...place, mutator: mutatorName, from, to: brief(replacement ?? '') }
}

function brief(code) {
  const oneLine = code.replace(/\s+/g, ' ').trim()
  return oneLine.length > 80 ? `${oneLine.slice(0, 79)}…` : oneLine
}
