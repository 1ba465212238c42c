import type { ReactNode } from 'react'

/** What has happened, said at once to those who listen. */
export function Notice({
  kind = 'info',
  title,
  children,
}: {
  readonly kind?: 'info' | 'good' | 'bad'
  readonly title?: string
  readonly children: ReactNode
}) {
  return (
    <div className={`notice ${kind}`} role={kind === 'bad' ? 'alert' : 'status'}>
      {title && <strong>{title}</strong>}
      <div>{children}</div>
    </div>
  )
}
