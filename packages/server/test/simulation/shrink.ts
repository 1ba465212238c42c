import { type Run, type RunOptions, simulate } from './simulate.ts'
import { type Moves, repeatChoices } from './world/choices.ts'

/** How many runs the search for a shorter schedule may take. */
const runsAtMost = 600

/**
 * Returns a run with the same finding and as few deeds and moves as the search found, as property-based tests shrink:
 * moves are left out, or their decisions made zero, for as long as the finding stays.
 */
export async function shrink(options: Omit<RunOptions, 'choices'>, failed: Run): Promise<Run> {
  let best = failed
  let runs = 0
  const tries = async (moves: Moves): Promise<boolean> => {
    if (++runs > runsAtMost) return false
    const run = await simulate({ ...options, choices: repeatChoices(moves) })
    const isShorter = kindOf(run) === kindOf(failed) && isSimpler(run, best)
    if (isShorter) best = run
    return isShorter
  }
  while (runs < runsAtMost && (await tryEach(() => best.moves, tries)));
  return best
}

/** Tries every change once at every place, large parts first, and returns whether one of them was shorter. */
async function tryEach(moves: () => Moves, tries: (changed: Moves) => Promise<boolean>): Promise<boolean> {
  let isShorter = false
  const powers = Math.floor(Math.log2(moves().length))
  for (const change of [leaveOut, makeZero]) {
    for (let size = 2 ** powers; size >= 1; size /= 2) {
      for (let from = 0; from < moves().length; from += size) {
        const changed = change(moves(), from, size)
        if (changed && (await tries(changed))) isShorter = true
      }
    }
  }
  return isShorter
}

type Change = (moves: Moves, from: number, size: number) => Moves | null

const leaveOut: Change = (moves, from, size) => moves.toSpliced(from, size)

const makeZero: Change = (moves, from, size) => {
  const isIn = (index: number): boolean => index >= from && index < from + size
  if (!moves.some((numbers, index) => isIn(index) && numbers.some((number) => number > 0))) return null
  return moves.map((numbers, index) => (isIn(index) ? [] : numbers))
}

/** The finding without numbers, which differ from run to run. */
function kindOf({ finding }: Run): string | undefined {
  return finding?.replace(/deed [0-9]+ \([^)]*\)/g, '').replace(/[0-9]+/g, '0')
}

/** Fewer deeds are simpler, then fewer moves, then smaller decisions. */
function isSimpler(one: Run, other: Run): boolean {
  const sizes = ({ deeds, moves }: Run): readonly number[] => [
    deeds.length,
    moves.length,
    moves.flat().reduce((sum, number) => sum + number, 0),
  ]
  const [mine, theirs] = [sizes(one), sizes(other)]
  const place = mine.findIndex((size, index) => size !== theirs[index])
  return place >= 0 && (mine[place] ?? 0) < (theirs[place] ?? 0)
}
