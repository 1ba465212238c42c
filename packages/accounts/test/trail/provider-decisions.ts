import type { SignInSuccess } from '@latchkey/accounts/internal'
import { type AuditedBench, origin as attempt } from './audited-bench.ts'

const issuer = 'https://id.example.com'

const begun = (...kinds: readonly string[]) => kinds.flatMap((kind) => [`${kind} intended`, `${kind} done`])

const shown = (bench: AuditedBench, binding: string | null) => ({
  issuer,
  subject: '42',
  claims: { name: 'Provided Name' },
  email: 'provided@example.com',
  emailVerified: true,
  amr: [],
  sid: 's1',
  authenticatedAt: bench.now(),
  binding,
})

const link = (bench: AuditedBench, identity: SignInSuccess['identity']) =>
  bench.accounts.linkProvider({ ...shown(bench, `link:${identity.key}`), identity, attempt })

const signIn = (bench: AuditedBench) =>
  bench.accounts.signInWithProvider({ ...shown(bench, null), delivery: 'session', attempt })

/** What is done with providers, and the rows of it: what comes before `bench.written()` prepares it. */
export const decisionsOnProviders: readonly (readonly [
  string,
  (bench: AuditedBench) => Promise<unknown>,
  readonly string[],
])[] = [
  [
    'a provider that is linked',
    async (bench) => {
      await bench.insert()
      const { identity } = await bench.signIn()
      await bench.written()
      await link(bench, identity)
    },
    begun('provider.linked'),
  ],
  [
    'a link that is imported',
    async (bench) => {
      const { id: accountId } = await bench.insert()
      await bench.accounts.importProviderLink({ accountId, issuer, subject: '42', attempt })
    },
    begun('provider.linked'),
  ],
  [
    'a provider that is unlinked',
    async (bench) => {
      await bench.insert()
      const { identity } = await bench.signIn()
      await link(bench, identity)
      const { identity: later } = await bench.signIn()
      await bench.written()
      const [linked] = await bench.accounts.linkedProviders(later.subject)
      await bench.accounts.unlinkProvider({ identity: later, id: linked?.id ?? '', attempt })
    },
    begun('provider.unlinked'),
  ],
  [
    'an account that a provider opens',
    signIn,
    [
      'account.created intended',
      'provider.linked intended',
      'account.created done',
      'provider.linked done',
      ...begun('session.created'),
    ],
  ],
  [
    'an account that a provider does not open, because its address is held',
    async (bench) => {
      await bench.insert({ email: 'provided@example.com' })
      await signIn(bench).catch(() => null)
    },
    ['sign-in.failed done'],
  ],
  [
    'a logout at a provider',
    async (bench) => {
      await signIn(bench)
      await bench.written()
      await bench.accounts.endProviderSessions({ issuer, subject: '42', sid: 's1', attempt })
    },
    begun('session.ended'),
  ],
]
