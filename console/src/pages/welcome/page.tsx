import { Page } from '../../parts/page.tsx'

export function WelcomePage() {
  return <Page title="welcome">x</Page>
}
