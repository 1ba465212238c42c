import { oust } from '../people/administrators.ts'
import type { Person } from '../people/person.ts'
import { carefully, type Habit, type Plan, pick, type Scene } from '../people/plan.ts'
import { look } from '../people/sessions.ts'
import type { Choices } from '../world/choices.ts'
import { type Ability, ofNewcomers, themes } from './abilities.ts'
import { drawPairs, type Round } from './pairs.ts'

/** Few deeds of one person or of all administrators, who have all that they need before: then they happen at once, again and again. */
export interface Focus {
  readonly people: readonly Person[]
  readonly rounds: readonly Round[]
  /** How many deeds a round has. */
  readonly deeds: number
}

const ofTwoAdministrators: readonly Ability[] = [{ habit: oust, needs: [], leaves: 'a change', who: 'administrator' }]

/** How many narrow worlds in a hundred are about something that somebody holds, and changes that may revoke it. */
const paired = 50

export function drawFocus(choices: Choices, people: readonly Person[]): Focus | null {
  const deeds = 2 + choices.below(3)
  const pairs = choices.chance(paired) ? drawPairs(choices, people) : null
  return pairs ? { people: [pairs.person], rounds: pairs.rounds, deeds } : drawThemes(choices, people, deeds)
}

/** One to four habits of one theme, or of two that meet. */
function drawThemes(choices: Choices, people: readonly Person[], deeds: number): Focus | null {
  const { below, chance } = choices
  const first = pick({ choices }, chance(30) ? people : people.slice(0, 1))
  const administrators = people.filter(({ isAdministrator }) => isAdministrator)
  const possible = administrators.length > 1 ? [...themes, ofTwoAdministrators] : themes
  const abilities = drawAbilities(choices, first?.id === null ? [ofNewcomers] : possible)
  const isOfAdministrators = abilities.some(({ who }) => who === 'administrator')
  const actors = isOfAdministrators ? administrators : people.filter((person) => person === first)
  const before = [...new Set(abilities.flatMap(({ needs }) => needs))]
  const round: Round = { before, first: null, others: abilities.map(({ habit }) => habit), after: [] }
  return actors.length > 0 ? { people: actors, rounds: Array.from({ length: 3 + below(3) }, () => round), deeds } : null
}

function drawAbilities({ below, chance }: Choices, possible: readonly (readonly Ability[])[]): readonly Ability[] {
  const draw = <Item>(items: readonly Item[]): readonly Item[] => items.slice(below(items.length)).slice(0, 1)
  const drawn = [...draw(possible), ...(chance(50) ? draw(possible) : [])]
  return [...new Set(drawn.flatMap((theme) => [...draw(theme), ...(chance(50) ? draw(theme) : [])]))]
}

/** What has to be there before a round, or comes after it, without mistakes. */
export function* prepare(
  scene: Scene,
  people: readonly Person[],
  habits: readonly Habit[],
): Generator<readonly [Person, Plan], undefined> {
  const careful = carefully(scene)
  for (const habit of habits) {
    for (const person of people) {
      const plan = habit(careful, person)
      if (plan) yield [person, plan]
    }
  }
}

/** One of the deeds of a round. */
export function planOne(
  scene: Scene,
  people: readonly Person[],
  { first, others }: Round,
): readonly [Person, Plan] | null {
  for (let attempt = 0; attempt < 10; attempt++) {
    const person = pick(scene, people)
    const habit = first !== null && scene.choices.chance(40) ? first : pick(scene, others)
    const plan = person && (habit ?? look)(scene, person)
    if (plan) return [person, plan]
  }
  return null
}
