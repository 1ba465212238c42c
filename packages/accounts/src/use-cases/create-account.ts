import type { AccountsContext } from '../context/accounts-context.ts'
import type { Accounts } from '../contract/accounts.ts'
import { judgeAttempt } from '../devices/judge-attempt.ts'
import { AccountsError } from '../errors.ts'
import { type Account, checkRoles, drawAccountId, toAccount } from '../store/account-store.ts'
import { canonicalEmail } from '../store/canonical-email.ts'
import { canonicalName } from '../store/canonical-name.ts'
import { hashNewPassword } from './hash-new-password.ts'

/**
 * Creates an account that can sign in at once, or once its owner has chosen a password. `null`: the address is taken.
 *
 * A link is stored first and is not valid until the account exists: no account is left without a way to sign in.
 */
export async function createAccount(
  context: AccountsContext,
  input: Parameters<Accounts['create']>[0],
): Promise<Account | null> {
  checkRoles(input.roles, 'roles')
  const roles = [...new Set(input.roles)]
  const { email, name } = readPerson(input)
  if (await context.accounts.getByEmail(email)) return null
  const { password } = input
  const names = [email, name]
  const asked = { field: 'password', names, lane: 'login' } as const
  const passwordHash = password === null ? null : await hashNewPassword(context, { password, ...asked })
  const account = { id: drawAccountId(), email, name, roles, status: 'active', passwordHash, epoch: 0 } as const
  const { actorId = null } = input
  const attempt = judgeAttempt(context, input.attempt, null)
  const said = { type: 'account.created', ...attempt, accountId: account.id, roles, actorId } as const
  const creating = context.trail.plan(said)
  await context.reservations?.release(context.now())
  const url = password === null ? await context.resets.create(email, account) : null
  await creating.begin()
  if (!(await context.accounts.insert(account))) {
    await creating.failed()
    return null
  }
  await creating.done(said)
  if (url !== null) {
    const mail = { kind: 'choose-password', data: { url, occasion: 'new-account' } } as const
    context.mails.send({ mail, accountId: account.id, attempt, to: email })
  }
  return toAccount({ ...account, keptKey: null, enrolled: [] })
}

/** Returns address and name in canonical form. @throws AccountsError EMAIL_INVALID, NAME_INVALID. */
export function readPerson(input: { readonly email: string; readonly name: string }): {
  readonly email: string
  readonly name: string
} {
  const email = canonicalEmail(input.email)
  if (email === null) throw new AccountsError('EMAIL_INVALID', 'a valid email address is required', { field: 'email' })
  const name = canonicalName(input.name)
  if (name === null) throw new AccountsError('NAME_INVALID', 'a name must have 1 to 100 characters', { field: 'name' })
  return { email, name }
}
