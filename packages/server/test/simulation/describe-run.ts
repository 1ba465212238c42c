import type { Run } from './simulate.ts'
import { writeMoves } from './world/choices.ts'

/** What was found, every move that led to it, and the command that repeats it. */
export function describeRun(seed: string, { finding, diary, moves, deeds }: Run): string {
  return [
    `seed ${seed}: ${finding}`,
    `The shortest schedule that was found, ${deeds.length} deeds and ${moves.length} moves (milliseconds, process, call):`,
    ...diary,
    `Repeat it: npm run simulate -- --seed ${seed} --moves '${writeMoves(moves)}'`,
  ].join('\n')
}
