import type { Deed, Facts } from '../deeds/deed.ts'
import { type Knowledge, readKnowledge } from '../deeds/knowledge.ts'
import type { Letter, Person } from '../people/person.ts'

const always = { start: 0, end: Number.POSITIVE_INFINITY }
/** Mails that are for whoever reads the address, whether or not it is that of an account. */
const forStrangers: readonly string[] = [
  'confirm-email-change',
  'account-exists',
  'verify-address',
  'contested-address',
]

/** Mails reach the address of the account, and not one that was only asked for, or left before they were. */
export function findMisdirected(
  people: readonly Person[],
  deeds: readonly Deed[],
  initial: ReadonlyMap<string, Facts>,
): string | null {
  const known = readKnowledge(deeds, initial)
  for (const { account, mails } of people)
    for (const letter of mails) {
      const wrong = judgeLetter(letter, account, { deeds, known })
      if (wrong !== null) return `${letter.to} has the mail ${letter.kind}${wrong}`
    }
  return null
}

interface Course {
  readonly deeds: readonly Deed[]
  readonly known: Knowledge
}

function judgeLetter({ to, kind, at }: Letter, account: string, { deeds, known }: Course): string | null {
  if (forStrangers.includes(kind))
    return deeds.some(({ claims }) => claims.newEmail === to) ? null : ', and nobody has asked for it'
  if (!known.mayBe(account, 'email', to, always)) return ', and is not its address'
  const asks = ({ claims, start, startedAt }: Deed): boolean =>
    claims.email === to && startedAt <= at && known.mayBe(account, 'email', to, { ...always, start })
  return kind === 'reset-password' && !deeds.some(asks) ? ', after the account had left the address' : null
}
