import { go, type Life, type Next, settle } from './go.ts'
import { calm, proceedAt } from './moves.ts'
import { endSessions } from './people/administrators.ts'
import type { Person } from './people/person.ts'
import { carefully, type Habit, pick, type Scene } from './people/plan.ts'
import { changePassword, revokeOne, signInInstead, signOut } from './people/sessions.ts'
import { listen, publish } from './people/streams.ts'
import { prepare } from './rounds/focus.ts'
import { answerByApp, openFamily, openSession } from './rounds/opening.ts'
import type { Waiting } from './world/world.ts'

const openings: readonly Habit[] = [openSession, openFamily]
const endings: readonly Habit[] = [signOut, revokeOne, endSessions, changePassword, signInInstead]

/** A check of an open stream stops before one of its answers; meanwhile its credential is revoked, and then there are news. */
export async function meetStream(place: Omit<Life, 'climate'>, scene: Scene): Promise<string | null> {
  const life = { ...place, climate: { ...calm, deeds: 0 } }
  const { course } = life
  const { world, town } = course
  const person = pick(
    scene,
    scene.people.filter(({ id }) => id !== null),
  )
  const machine = town.processes[0]?.machine
  if (!person || !machine) return null
  const unready = await listenCalmly(life, scene, person)
  const held = person.lines.at(-1)?.held
  if (unready !== null || !held) return unready
  let passed = scene.choices.below(3)
  let seen: Waiting | null = null
  const isAnswer = ({ machine: own, label }: Waiting): boolean => own === machine && label.endsWith(' answers')
  const isStopped = (): boolean => {
    const answer = world.waiting.find(isAnswer) ?? null
    if (answer === null || answer === seen) return false
    seen = answer
    return passed-- <= 0
  }
  const isIdle = (): boolean => course.underWay().length === 0
  const started = await goUntil(life, null, isStopped)
  const ending = pick(scene, endings)?.(carefully(scene), person)
  if (started !== null || !ending) return started
  course.begin(person, ending, 1)
  const ended = await goUntil(life, seen, isIdle)
  const news = publish(scene, person)
  if (ended !== null || !news) return ended
  course.begin(person, news, 1)
  return (await goUntil(life, seen, isIdle)) ?? goUntil(life, null, () => world.waiting.length === 0)
}

function listenCalmly(life: Life, scene: Scene, person: Person): Promise<string | null> {
  const plans = prepare(scene, [person], [pick(scene, openings) ?? openSession, answerByApp, listen])
  const next: Next = () => {
    const planned = plans.next().value
    return planned ? [...planned, 0] : null
  }
  return go(life, next)
}

const movesAtMost = 200

/** Lets everything go on, except for the call that is kept back, until it is as asked, or for some moves. */
async function goUntil(
  { course, climate, watch }: Life,
  kept: Waiting | null,
  isSo: () => boolean,
): Promise<string | null> {
  const { world } = course
  for (let move = 0; move < movesAtMost; move++) {
    await settle(course)
    const finding = course.finding() ?? watch()
    if (finding !== null || isSo()) return finding
    const index = world.waiting.findIndex((waiting) => waiting !== kept)
    const timer = world.nextTimer()
    if (index !== -1) proceedAt(course, climate, index)
    else if (timer) world.fire(timer)
    else return null
  }
  return null
}
