import { ask } from '../data/ask.ts'
import { auth } from '../data/auth.ts'
import { explain } from '../data/explain.ts'
import { useQuery } from '../data/use-query.ts'
import { ActionButton } from '../parts/action-button.tsx'
import { Notice } from '../parts/notice.tsx'
import { Page } from '../parts/page.tsx'
import { readableDate } from './readable-date.ts'
import { readableDevice } from './readable-device.ts'

interface Session {
  readonly id: string
  readonly userAgent: string | null
  readonly address: string | null
  readonly lastUsedAt: string
  readonly current: boolean
  readonly clientName: string | null
}

const listSessions = 'query Sessions { sessions { id userAgent address lastUsedAt current clientName } }'
const revokeSession = 'mutation Revoke($id: ID!) { revokeSession(id: $id) }'
const revokeOthers = 'mutation RevokeOthers { revokeAllSessions(exceptCurrent: true) }'

export function Devices() {
  const { data, failure, reload } = useQuery<{ readonly sessions: readonly Session[] }>(listSessions)
  const sessions = [...(data?.sessions ?? [])].sort((one, other) => Number(other.current) - Number(one.current))
  const others = sessions.filter(({ current }) => !current)
  const end = async () => {
    await ask(revokeOthers)
    reload()
  }
  return (
    <Page
      title="Your devices"
      lead="Everything that is signed in to your account. What you end is out at once."
      isNarrow
    >
      {failure && <Notice kind="bad">{explain(failure)}</Notice>}
      <ul className="rows panel">
        {sessions.map((session) => (
          <Device key={session.id} session={session} onChange={reload} />
        ))}
      </ul>
      {others.length > 0 && <ActionButton act={end}>Sign out all others</ActionButton>}
    </Page>
  )
}

function Device({ session, onChange }: { readonly session: Session; readonly onChange: () => void }) {
  const { id, userAgent, address, lastUsedAt, current, clientName } = session
  const name = clientName ?? readableDevice(userAgent)
  const revoke = async () => {
    await ask(revokeSession, { id })
    onChange()
  }
  return (
    <li>
      <div>
        <strong>{name}</strong> {current && <span className="badge new">This device</span>}
        <p className="hint">{[address, `last used ${readableDate(lastUsedAt)}`].filter(Boolean).join(' · ')}</p>
      </div>
      {current ? (
        <ActionButton act={() => auth.signOut()}>Sign out</ActionButton>
      ) : (
        <ActionButton label={`Sign out ${name}`} act={revoke}>
          Sign out
        </ActionButton>
      )}
    </li>
  )
}
