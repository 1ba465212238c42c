import type { Course } from './course.ts'
import { type Deed, isNo } from './deeds/deed.ts'
import { go, type Life, type Next } from './go.ts'
import { type Calls, goOn, type Halt, sumOf } from './interruption.ts'
import { calm, failAt, makeMove } from './moves.ts'
import { findOutage } from './oracle/endings.ts'
import { disable } from './people/administrators.ts'
import { confirmPasskey, startPasskey } from './people/passkeys.ts'
import type { Person } from './people/person.ts'
import { carefully, type Habit, type Plan, type Scene } from './people/plan.ts'
import { belongings } from './rounds/abilities.ts'
import { type Encounter, encountersOf } from './rounds/encounters.ts'
import { prepare } from './rounds/focus.ts'
import { finalPlans, firstLooks } from './rounds/last-looks.ts'
import { again, answerByApp, open, openFamily, openSession } from './rounds/opening.ts'
import { limits } from './service/terms.ts'
import { calmDown } from './town.ts'
import type { Waiting } from './world/world.ts'

/** How many store calls a deed makes of which nothing is known yet. */
const usualCalls: Calls = { call: 10, write: 5, other: 15 }

/** How many reads the removal of an administrator makes while it waits for another one. */
const readsOfRemoval = 8

/** The place of a world among those of its kind. */
export interface MeetingPlace {
  readonly place: number
  /** Whether people sign in with a provider, a code by mail, or a passkey, too. */
  readonly hasOtherWays: boolean
}

/** Lets two deeds meet in each round, and then looks at what has come of it. */
export async function liveInMeetings(
  life: Life,
  scene: Scene,
  { place, hasOtherWays }: MeetingPlace,
): Promise<string | null> {
  let last: Visit = { finding: null, guest: null, calls: usualCalls }
  for (const encounter of encountersOf(place, hasOtherWays)) {
    const { guest, calls } = last
    last = encounter.ofTwo
      ? { guest, calls, finding: await meetOfTwo(life, { scene, encounter, calls }) }
      : await meetAndLook(life, { scene, encounter, calls }, guest)
    if (last.finding !== null) return last.finding
  }
  return last.guest ? leave(life, scene, last.guest) : null
}

/** The result of a meeting: the finding, the person who takes part in the next meeting, and the known number of calls. */
interface Visit {
  readonly finding: string | null
  readonly guest: Person | null
  readonly calls: Calls
}

async function meetAndLook(life: Life, meeting: Omit<Meeting, 'person'>, former: Person | null): Promise<Visit> {
  const { scene, encounter } = meeting
  const met = await meetAnyone(life, meeting, former)
  const { finding, person, calls } = met
  if (finding !== null) return { finding, guest: null, calls }
  const isOver = (met.hasFailed && encounter.fails === 'write') || isNearLimit(person, life.course.deeds)
  const guest = isOver || scene.choices.chance(35) ? null : person
  const found = guest ? await calmly(life, of(person, firstLooks(person))) : await leave(life, scene, person)
  return { finding: found, guest, calls }
}

/** Whether so many passwords were wrong that the next ones are hardly tested. */
const isNearLimit = ({ account }: Person, deeds: readonly Deed[]): boolean =>
  deeds.filter((deed) => deed.account === account && deed.claims.password !== undefined && isNo(deed, 'credentials'))
    .length >=
  limits.guesses - 2

/** Shows for the last time what has become of the account. */
const leave = (life: Life, scene: Scene, person: Person): Promise<string | null> =>
  calmly(life, of(person, finalPlans(scene, person)))

/** A meeting of the guest, or of a new one if there is none or it cannot do it, such as to set up the first app again. */
async function meetAnyone(life: Life, meeting: Omit<Meeting, 'person'>, guest: Person | null): Promise<Met> {
  const met = guest ? await meetOnce(life, { ...meeting, person: guest }) : null
  if (met && !met.isVain) return met
  const finding = guest ? await leave(life, meeting.scene, guest) : null
  const person = await life.course.town.settle(roleOf(meeting.encounter))
  return finding === null
    ? meetOnce(life, { ...meeting, person })
    : { ...nothing, finding, person, calls: meeting.calls }
}

/** A meeting of two administrators, once there is no third. */
async function meetOfTwo(life: Life, meeting: Omit<Meeting, 'person'>): Promise<string | null> {
  const { scene } = meeting
  const { settle } = life.course.town
  const former = scene.people.filter(({ isAdministrator }) => isAdministrator)
  const person = await settle('ADMIN')
  const other = await settle('ADMIN')
  const found = await calmly(life, prepare(scene, former, [disable]))
  if (found !== null) return found
  const met = await meet(life, { ...meeting, person, other })
  return met.finding ?? (await leave(life, scene, person)) ?? leave(life, scene, other)
}

/** One meeting, once everything is there that it needs. */
async function meetOnce(life: Life, meeting: Meeting): Promise<Met> {
  const { scene, person, encounter, calls } = meeting
  const unready = await calmly(life, prepare(scene, [person], needsOf(encounter)))
  if (unready !== null) return { ...nothing, finding: unready, person, calls }
  passTime(life, scene)
  const met = await meet(life, meeting)
  if (met.finding === null) passTime(life, scene)
  return met
}

/** Now and then, some time passes. */
function passTime({ course, climate }: Life, { choices }: Scene): void {
  if (choices.chance(15)) makeMove(course, climate, 'pass')
}

/**
 * What both need, and for a change that fails something to revoke. A credential comes first, and who opens a session for one
 * of them has opened any.
 */
function needsOf({ first, second, fails }: Encounter): readonly Habit[] {
  const revoked = fails !== null && first.leaves === 'a change' ? belongings : []
  const needs = [...new Set([...first.needs, ...(second?.needs ?? []), ...revoked])]
  const particular = needs.filter((need) => need === openSession || need === openFamily)
  const opening = particular.length > 0 ? particular : needs.filter((need) => need === open)
  const others = needs.filter((need) => need !== open && !particular.includes(need))
  const prepared = first.habit === confirmPasskey ? unregistered(others) : others
  return [...opening.flatMap((need) => [need, again(answerByApp)]), ...prepared]
}

/** A passkey that is about to be registered is made last: a change of the account would end it. */
const unregistered = (needs: readonly Habit[]): readonly Habit[] => [
  ...needs.filter((need) => need !== startPasskey && need !== confirmPasskey),
  startPasskey,
]

function roleOf({ first, second }: Encounter): 'READER' | 'ADMIN' | null {
  if (first.who === 'newcomer') return null
  return [first.who, second?.who].includes('administrator') ? 'ADMIN' : 'READER'
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
  /** Who does the second deed; omitted: the same. */
  readonly other?: Person
  readonly encounter: Encounter
  /** How many store calls the first deed makes, as far as is known. */
  readonly calls: Calls
}

interface Met {
  readonly finding: string | null
  readonly person: Person
  /** Whether the person could not do it. */
  readonly isVain: boolean
  readonly calls: Calls
  readonly hasFailed: boolean
}

/** The first deed stops at one of its calls; the second comes meanwhile, or after the call or its process has failed. */
async function meet(life: Life, { scene, person, other = person, encounter, calls }: Meeting): Promise<Met> {
  const { course } = life
  const { first, second, at, fails } = encounter
  const plan = first.habit(attentively(scene), person)
  const machine = course.town.processes[0]?.machine
  if (!plan || !machine) return { ...nothing, isVain: true, person, calls }
  const come = (): void => {
    const isSame = other === person && first === second && (scene.choices.chance(50) || plan.alike !== undefined)
    const isElsewhere = scene.choices.chance(50)
    const met = isSame ? (plan.alike?.() ?? plan) : second?.habit({ ...attentively(scene), isElsewhere }, other)
    if (met) course.begin(other, met, 1)
  }
  course.begin(person, plan, 0)
  const counted = fails ?? 'call'
  const after = Math.floor(at * (calls[counted] + 1))
  const halt = await goOn(life, { machine, at: counted, after, isAlone: counted === 'other' }, null)
  const hasFailed = fails !== null && halt.held !== null
  const isMet = !hasFailed || scene.choices.chance(30)
  if (isMet) come()
  const during = halt.finding === null && isMet ? await overtake(life, encounter, halt) : halt
  if (hasFailed) fail(course, fails, halt.held)
  const rest =
    during.finding === null ? await goOn(life, { machine, at: counted, after: Number.POSITIVE_INFINITY }, null) : during
  if (!isMet) come()
  const end = rest.finding === null && !isMet ? await goOn(life, null, null) : rest
  const made = sumOf(halt.calls, rest.calls)
  return { ...nothing, finding: end.finding, person, calls: hasFailed ? calls : most(calls, made), hasFailed }
}

/** Lets the second deed happen while a call of the first is held back. */
async function overtake(life: Life, { ofTwo }: Encounter, { held }: Halt): Promise<Halt> {
  const machine = life.course.town.processes[1]?.machine
  const failsAt = ofTwo?.failsAt ?? null
  if (failsAt === null || !machine) return goOn(life, null, held)
  const after = Math.floor(failsAt * readsOfRemoval)
  const met = await goOn(life, { machine, at: 'other', after, isAlone: true }, held)
  if (met.finding !== null) return met
  fail(life.course, 'other', met.held)
  return goOn(life, null, held)
}

/** A write, its process or its stores fail, or calls that one store has not answered, once. */
function fail(course: Course, fails: Encounter['fails'], held: Waiting | null): void {
  const { world } = course
  const isLost = ({ machine, label }: Waiting): boolean => machine === held?.machine && label === held.label
  if (fails === 'write') failAt(course, held)
  else for (const lost of world.waiting.filter(isLost)) world.fail(world.waiting.indexOf(lost))
}

const nothing = { finding: null, isVain: false, hasFailed: false } as const

/** A deed that is refused at once does not tell how many calls it makes otherwise. */
const most = (known: Calls, made: Calls): Calls => (known === usualCalls || made.call > known.call ? made : known)

/** Mostly without a mistake, so that both deeds are about the same. */
const attentively = (scene: Scene): Scene => (scene.choices.chance(85) ? carefully(scene) : scene)
