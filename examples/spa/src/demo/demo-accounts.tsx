import type { AuthClient } from '@latchkey/client'
import type { User } from '../data/auth.ts'
import { ActionButton } from '../parts/action-button.tsx'

export const demoPassword = 'otters read quietly at dawn'

const demoAccounts = [
  { email: 'reader@example.com', name: 'Rae', role: 'READER', may: 'comments' },
  { email: 'author@example.com', name: 'Ada', role: 'AUTHOR', may: 'writes, and edits her own articles' },
  { email: 'other@example.com', name: 'Otto', role: 'AUTHOR', may: 'writes, and edits his own articles' },
  { email: 'editor@example.com', name: 'Edda', role: 'EDITOR', may: 'reads all drafts and publishes' },
  { email: 'admin@example.com', name: 'Amin', role: 'ADMIN', may: 'edits everybody’s articles' },
] as const

/** The accounts to try, each with a button that signs in. */
export function DemoAccounts({ auth }: { readonly auth: AuthClient<User> }) {
  return (
    <section className="panel demo" aria-labelledby="demo-accounts">
      <h2 id="demo-accounts">Accounts to try</h2>
      <ul className="rows">
        {demoAccounts.map(({ email, name, role, may }) => (
          <li key={email}>
            <div>
              <strong>{email}</strong>
              <p className="hint">
                {role}: {may}
              </p>
            </div>
            <ActionButton
              label={`Sign in as ${name}, ${email}`}
              act={async () => void (await auth.signIn({ email, password: demoPassword }))}
            >
              Sign in
            </ActionButton>
          </li>
        ))}
      </ul>
      <p className="hint">
        The password of each is <code>{demoPassword}</code>.
      </p>
    </section>
  )
}
