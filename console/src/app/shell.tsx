import { AppShell, Burger, Button, Group, ScrollArea } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { Outlet } from '@tanstack/react-router'
import { useLive } from '../live/use-live.ts'
import { Brand } from '../parts/brand.tsx'
import { AwayBanner } from './away-banner.tsx'
import { Navigation } from './navigation.tsx'
import styles from './shell.module.css'

/** What stands around every page of somebody who is signed in. */
export function Shell() {
  useLive()
  const [isOpen, { toggle, close }] = useDisclosure(false)
  return (
    <AppShell
      layout="alt"
      header={{ height: { base: 56, md: 0 } }}
      navbar={{ width: 248, breakpoint: 'md', collapsed: { mobile: !isOpen } }}
      padding={{ base: 'md', sm: 'xl' }}
    >
      <Button component="a" href="#main" className={styles.skip!} size="xs">
        Skip to the page
      </Button>
      <nav className={styles.top} aria-label="Top">
        <Brand />
        <Burger opened={isOpen} onClick={toggle} size="sm" aria-label="Navigation" aria-expanded={isOpen} />
      </nav>
      <AppShell.Navbar className={styles.navbar!}>
        <Group hiddenFrom="md" h={56} px="md" justify="space-between">
          <Brand />
          <Burger opened onClick={close} size="sm" aria-label="Close navigation" />
        </Group>
        <ScrollArea flex={1} type="auto">
          <Navigation onGo={close} />
        </ScrollArea>
      </AppShell.Navbar>
      <AppShell.Main id="main">
        <AwayBanner />
        <div className={styles.page}>
          <Outlet />
        </div>
      </AppShell.Main>
    </AppShell>
  )
}
