import type { MouseEvent, ReactNode } from 'react'
import { navigate, usePath } from './navigate.ts'

export function Link({
  to,
  className,
  children,
}: {
  readonly to: string
  readonly className?: string
  readonly children: ReactNode
}) {
  const isHere = usePath() === to
  const follow = (event: MouseEvent) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
    event.preventDefault()
    navigate(to)
  }
  return (
    <a href={to} className={className} onClick={follow} aria-current={isHere ? 'page' : undefined}>
      {children}
    </a>
  )
}
