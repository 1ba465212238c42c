import type { Course } from './course.ts'
import type { Deed } from './deeds/deed.ts'
import { go, type Life, rest } from './go.ts'
import { liveInMeetings, type MeetingPlace } from './meetings.ts'
import { calm, drawClimate, drawWindow, makeMove } from './moves.ts'
import { findOutage } from './oracle/endings.ts'
import { findLeftStreams, watchStreams } from './oracle/streams.ts'
import { drawHabits, planNext } from './people/habits.ts'
import type { Person } from './people/person.ts'
import type { Habit, Plan, Scene } from './people/plan.ts'
import { drawFocus, type Focus, planOne, prepare } from './rounds/focus.ts'
import { finalPlans } from './rounds/last-looks.ts'
import { lifetimes, limits } from './service/terms.ts'
import { meetStream } from './stream-meetings.ts'
import { calmDown } from './town.ts'

/** How many more deeds a world with streams has. */
const deedsOfStreams = 10

/** How many of the other worlds in a hundred are about a few deeds of one person. Those with streams are not. */
const narrow = 70

/** Where two deeds meet in the world of this number; null: it is not about meetings. */
export function meetingPlaceOf(number: number): MeetingPlace | null {
  if (number % 2 === 0) return { place: number / 2, hasOtherWays: false }
  return number % 10 === 1 ? { place: (number - 1) / 10, hasOtherWays: true } : null
}

/** Lets everything happen that the world has, and at the end calmly what shows the state of every account. */
export async function live(course: Course, meeting: MeetingPlace | null): Promise<string | null> {
  const { world, town, deeds } = course
  const scene = { choices: world.choices, people: town.people, now: world.now, board: town.board }
  const watch = watchStreams(course)
  const place = { course, watch }
  if (meeting !== null) {
    const climate = { ...calm, deeds: 0, sweep: 50 }
    return liveInMeetings({ ...place, climate }, scene, meeting)
  }
  const focus = world.choices.chance(narrow) && !town.board ? drawFocus(world.choices, town.people) : null
  const found = focus
    ? await liveNarrowly({ ...place, climate: drawWindow(world.choices) }, scene, focus)
    : ((town.board && (await meetStream(place, scene))) ??
      (await liveWidely({ ...place, climate: drawClimate(world.choices) }, scene)))
  if (found !== null) return found
  calmDown(town)
  const isLate = !town.board && world.choices.chance(50)
  if (isLate) world.pass(1000 * (lifetimes.grace + 5))
  const plans = finalDeeds(scene, deeds, isLate)
  const calmFrom = deeds.length
  const life = { course, watch, climate: { ...calm, deeds: 0, start: 1000 } }
  return (
    (await rest(life, limits.streamMs + 1000)) ??
    (await go(life, () => plans.next().value ?? null)) ??
    findOutage(deeds.slice(calmFrom)) ??
    (await leaveStreams(life))
  )
}

async function leaveStreams(life: Life): Promise<string | null> {
  const { town } = life.course
  for (const { lines } of town.people)
    for (const { line } of lines) if (!line.isLeft && line.end === null) line.leave('closed')
  return (await rest(life, 25_000)) ?? findLeftStreams(life.course)
}

function liveWidely(life: Life, scene: Scene): Promise<string | null> {
  const { course, climate } = life
  const habits = drawHabits(scene.choices, scene.board !== null)
  const deeds = climate.deeds + (scene.board ? deedsOfStreams : 0)
  return go(life, () => {
    if (course.deeds.length >= deeds) return null
    const again = scene.choices.chance(climate.again) ? course.again() : null
    return again ?? planNext(scene, habits)
  })
}

/** Prepares a few deeds without any failure, lets them happen at once, and so again. */
async function liveNarrowly(life: Life, scene: Scene, focus: Focus): Promise<string | null> {
  const { course, climate } = life
  const { people, rounds } = focus
  const prepareCalmly = (habits: readonly Habit[]): Promise<string | null> => {
    const plans = prepare(scene, people, habits)
    calmDown(course.town)
    return go({ ...life, climate: { ...calm, deeds: 0 } }, () => plans.next().value ?? null)
  }
  for (const [index, round] of rounds.entries()) {
    // An app shows a code that was not used.
    if (index > 0 && people.some(({ totp }) => totp !== null)) course.world.pass(31_000)
    const unready = await prepareCalmly(round.before)
    if (unready !== null) return unready
    if (index > 0 && scene.choices.chance(50)) makeMove(course, climate, 'pass')
    let left = focus.deeds
    const found = await go(life, () => {
      if (left-- <= 0) return null
      const again = scene.choices.chance(climate.again) ? course.again() : null
      return again ?? planOne(scene, people, round)
    })
    if (found !== null) return found
    const unfinished = round.after.length > 0 ? await prepareCalmly(round.after) : null
    if (unfinished !== null) return unfinished
  }
  return null
}

/** What shows the state of those to whom something has happened. */
function* finalDeeds(
  scene: Scene,
  deeds: readonly Deed[],
  isLate: boolean,
): Generator<readonly [Person, Plan], undefined> {
  const busy = new Set(deeds.map(({ account }) => account))
  for (const person of scene.people.filter(({ account }) => busy.has(account)))
    for (const plan of finalPlans(scene, person, isLate)) yield [person, plan]
}
