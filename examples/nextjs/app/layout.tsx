import type { Metadata } from 'next'
import type { ReactNode } from 'react'
import { AccountMenu } from './account-menu'
import { currentState } from './service'
import './style.css'

export const metadata: Metadata = { title: 'The publication' }

export default async function Layout({ children }: { readonly children: ReactNode }) {
  return (
    <html lang="en">
      <body>
        <header>
          <a href="/">The publication</a>
          <AccountMenu initial={await currentState()} />
        </header>
        <main>{children}</main>
      </body>
    </html>
  )
}
