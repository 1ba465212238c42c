import type { ReactNode } from 'react'

/** A message in a box, which screen readers announce at once. */
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
