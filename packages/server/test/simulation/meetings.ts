import { go, type Life, type Next } from './go.ts'
import { goOn } from './interruption.ts'
import { calm, failAt, makeMove } from './moves.ts'
import { findOutage } from './oracle/endings.ts'
import { finalPlans, firstLooks } from './people/last-looks.ts'
import { open, openFamily, openSession } from './people/opening.ts'
import type { Person } from './people/person.ts'
import type { Habit, Plan, Scene } from './people/plan.ts'
import { belongings } from './rounds/abilities.ts'
import { type Encounter, encountersOf } from './rounds/encounters.ts'
import { carefully, prepare } from './rounds/focus.ts'
import { calmDown } from './town.ts'

/** How many store calls a deed makes of which nothing is known yet. */
const usualCalls = 10

/** Lets two deeds meet in each round, and then looks at what has come of it. */
export async function liveInMeetings(life: Life, scene: Scene, place: number): Promise<string | null> {
  let guest: Person | null = null
  let calls = usualCalls
  for (const encounter of encountersOf(place)) {
    const person: Person = guest ?? (await life.course.town.settle(roleOf(encounter)))
    const met: Met = await meetOnce(life, { scene, person, encounter, calls })
    if (met.finding !== null) return met.finding
    calls = met.calls
    guest = met.hasFailed || scene.choices.chance(35) ? null : person
    const looks = guest ? firstLooks(scene, person) : finalPlans(scene, person)
    const found = await calmly(life, of(person, looks))
    if (found !== null) return found
  }
  return guest ? calmly(life, of(guest, finalPlans(scene, guest))) : null
}

/** One meeting, once everything is there that it needs. */
async function meetOnce(life: Life, meeting: Meeting): Promise<Met> {
  const { scene, person, encounter, calls } = meeting
  const unready = await calmly(life, prepare(scene, [person], needsOf(encounter)))
  if (unready !== null) return { finding: unready, calls, hasFailed: false }
  passTime(life, scene)
  const met = await meet(life, meeting)
  if (met.finding === null) passTime(life, scene)
  return met
}

/** Now and then, some time passes. */
function passTime({ course, climate }: Life, { choices }: Scene): void {
  if (choices.chance(15)) makeMove(course, climate, 'pass')
}

/** What both need, and for a change that fails something to revoke. Who opens a session for one of them has opened any. */
function needsOf({ first, second, fails }: Encounter): readonly Habit[] {
  const revoked = fails && first.leaves === 'a change' ? belongings : []
  const needs = [...new Set([...first.needs, ...second.needs, ...revoked])]
  return needs.some((need) => need === openSession || need === openFamily)
    ? needs.filter((need) => need !== open)
    : needs
}

function roleOf({ first, second }: Encounter): 'READER' | 'ADMIN' | null {
  if (first.who === 'newcomer') return null
  return [first.who, second.who].includes('administrator') ? 'ADMIN' : 'READER'
}

/** One after the other, in one process, and without any failure. */
async function calmly(life: Life, plans: Generator<readonly [Person, Plan], undefined>): Promise<string | null> {
  const { town, deeds } = life.course
  calmDown(town)
  const from = deeds.length
  const next: Next = () => {
    const planned = plans.next().value
    return planned ? [...planned, 0] : null
  }
  return (await go({ ...life, climate: { ...calm, deeds: 0 } }, next)) ?? findOutage(deeds.slice(from))
}

function* of(person: Person, plans: Generator<Plan>): Generator<readonly [Person, Plan], undefined> {
  for (const plan of plans) yield [person, plan]
}

interface Meeting {
  readonly scene: Scene
  readonly person: Person
  readonly encounter: Encounter
  /** How many store calls the first deed makes, as far as is known. */
  readonly calls: number
}

interface Met {
  readonly finding: string | null
  readonly calls: number
  readonly hasFailed: boolean
}

/** The first deed stops at one of its calls; the second comes meanwhile, or after the call or its process has failed. */
async function meet(life: Life, { scene, person, encounter, calls }: Meeting): Promise<Met> {
  const { course } = life
  const { first, second, at, fails } = encounter
  const plan = first.habit(attentively(scene), person)
  const machine = course.town.processes[0]?.machine
  if (!plan || !machine) return { finding: null, calls, hasFailed: false }
  const come = (): void => {
    const isSame = first === second && scene.choices.chance(50)
    const isElsewhere = scene.choices.chance(50)
    const other = isSame ? (plan.alike?.() ?? plan) : second.habit({ ...attentively(scene), isElsewhere }, person)
    if (other) course.begin(person, other, 1)
  }
  course.begin(person, plan, 0)
  const after = Math.floor(at * (calls + 1))
  const halt = await goOn(life, { machine, after }, null)
  const hasFailed = fails && halt.held !== null
  const isMet = !hasFailed || scene.choices.chance(30)
  if (isMet) come()
  const during = halt.finding === null && isMet ? await goOn(life, null, halt.held) : halt
  if (hasFailed) failAt(course, halt.held)
  const rest = during.finding === null ? await goOn(life, { machine, after: Number.POSITIVE_INFINITY }, null) : during
  if (!isMet) come()
  const end = rest.finding === null && !isMet ? await goOn(life, null, null) : rest
  return { finding: end.finding, calls: hasFailed ? calls : halt.calls + rest.calls, hasFailed }
}

/** Mostly without a mistake, so that both deeds are about the same. */
const attentively = (scene: Scene): Scene => (scene.choices.chance(85) ? carefully(scene) : scene)
