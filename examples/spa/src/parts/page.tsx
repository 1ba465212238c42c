import { type ReactNode, useEffect, useRef } from 'react'
import { opened } from '../routing/navigate.ts'

/** A view with its heading, which names the tab and gets the focus, so screen readers announce the new view. */
export function Page({
  title,
  lead,
  isNarrow = false,
  children,
}: {
  readonly title: string
  readonly lead?: ReactNode
  readonly isNarrow?: boolean
  readonly children?: ReactNode
}) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    document.title = `${title} · The publication`
    if (history.state === opened) heading.current?.focus({ preventScroll: true })
  }, [title])
  return (
    <div className={isNarrow ? 'page narrow' : 'page'}>
      <h1 ref={heading} tabIndex={-1}>
        {title}
      </h1>
      {lead && <p className="lead">{lead}</p>}
      {children}
    </div>
  )
}
