import type { Person } from './person.ts'
import { type Habit, pick, pickHeld } from './plan.ts'

const isOpen = ({ line }: Person['lines'][number]): boolean => !line.isLeft && line.end === null

/** Opens a stream. */
export const listen: Habit = ({ board, ...scene }, person) => {
  const held = pickHeld({ ...scene, board }, person)
  if (!board || !held || person.lines.length > 3) return null
  return {
    what: `listen with ${held.credential.kind}`,
    claims: { presents: held.credential },
    async ask({ listen: open }) {
      const line = (await open?.(held)) ?? null
      if (line === null) return 'credential'
      person.lines.push({ line, held })
      return {}
    },
  }
}

/** Publishes something to all who listen. */
export const publish: Habit = ({ board, people }, { name }) => {
  if (!board || !people.some(({ lines }) => lines.some(isOpen))) return null
  return {
    what: 'publish',
    claims: {},
    async ask() {
      board.publish(`${name} has news ${board.published.size}`)
      return {}
    },
  }
}

/** Closes the page of a stream, or loses its connection. */
export const hangUp: Habit = (scene, { lines }) => {
  const open = pick(scene, lines.filter(isOpen))
  const way = (['closed', 'cancelled', 'unread'] as const)[scene.choices.below(3)] ?? 'closed'
  if (!open) return null
  return {
    what: `leave a stream ${way}`,
    claims: {},
    async ask() {
      open.line.leave(way)
      return {}
    },
  }
}
