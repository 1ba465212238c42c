import type { AccountStore } from '@latchkey/accounts'
import { randomToken } from '@latchkey/bytes'
import { hashPassword, verifyPassword } from '@latchkey/password'
import type { Articles } from './articles.ts'
import type { Comments } from './comments.ts'
import type { PublicationData } from './publication-data.ts'
import { seedArticles, seedComments } from './seed-texts.ts'

/** The password of every account that comes with the example. It is public: production refuses to start with it. */
const seedPassword = 'otters read quietly at dawn'

const seedAccounts = [
  { email: 'reader@example.com', name: 'Rae Reader', role: 'READER' },
  { email: 'author@example.com', name: 'Ada Author', role: 'AUTHOR' },
  { email: 'other@example.com', name: 'Otto Other', role: 'AUTHOR' },
  { email: 'editor@example.com', name: 'Edda Editor', role: 'EDITOR' },
  { email: 'admin@example.com', name: 'Amin Admin', role: 'ADMIN' },
] as const

/**
 * Fills an empty publication once. After an interruption the next start continues: existing accounts are kept, and one
 * transaction writes the articles and the mark of completion.
 */
export async function seed({ stores, fillOnce }: PublicationData): Promise<void> {
  const ids = await seedAccountsInto(stores.accounts)
  await fillOnce((articles, comments) => seedPublication(articles, comments, ids))
}

async function seedAccountsInto(accounts: AccountStore): Promise<ReadonlyMap<string, string>> {
  const ids = new Map<string, string>()
  for (const { email, name, role } of seedAccounts) {
    const known = await accounts.getByEmail(email)
    if (known) {
      ids.set(email, known.id)
      continue
    }
    const id = `acc_${randomToken(16)}`
    const passwordHash = await hashPassword(seedPassword)
    await accounts.insert({ id, email, name, roles: [role], status: 'active', passwordHash, epoch: 0 })
    const stored = await accounts.getByEmail(email)
    if (stored) ids.set(email, stored.id)
  }
  return ids
}

async function seedPublication(
  articles: Articles,
  comments: Comments,
  ids: ReadonlyMap<string, string>,
): Promise<void> {
  const idOf = (email: string): string => ids.get(email) ?? ''
  const [author, other] = [idOf('author@example.com'), idOf('other@example.com')]
  const commenters = [idOf('reader@example.com'), idOf('editor@example.com'), idOf('other@example.com')]
  for (const [index, { title, body }] of seedArticles.entries()) {
    const { id } = await articles.create({
      title,
      body,
      status: index % 5 === 4 ? 'DRAFT' : 'PUBLISHED',
      rating: index % 4 === 3 ? null : 3 + ((index * 7) % 20) / 10,
      authorId: index % 2 === 0 ? author : other,
    })
    for (const [position, authorId] of commenters.entries()) {
      await comments.create({
        articleId: id,
        authorId,
        text: seedComments[(index + position * 5) % seedComments.length] ?? '',
      })
    }
  }
}

/** Returns whether an account still has the public password, so that production can refuse to start. */
export async function hasSeedPassword(accounts: AccountStore): Promise<boolean> {
  for (const { email } of seedAccounts) {
    const account = await accounts.getByEmail(email)
    if (account?.passwordHash && (await verifyPassword(seedPassword, account.passwordHash)).ok) return true
  }
  return false
}
