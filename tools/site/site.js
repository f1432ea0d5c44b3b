// What the theme makes while a page is read, and what keyboards and screen readers lack in it.
new MutationObserver(() => {
  // The theme's copy buttons stand in landmarks of their own, and each of these needs a name that no other one has.
  document.querySelectorAll('nav.md-code__nav').forEach((nav, k) => {
    const name = `${nav.firstElementChild?.title ?? ''} ${k + 1}`;
    if (nav.getAttribute('aria-label') !== name) nav.setAttribute('aria-label', name);
  });
  // Tables that are wider than a phone: the theme wraps them into boxes that scroll, and the keyboard has to reach those.
  for (const box of document.querySelectorAll('.md-typeset__scrollwrap:not([tabindex])')) {
    box.tabIndex = 0;
    box.setAttribute('role', 'group');
  }
}).observe(document.body, {childList: true, subtree: true});
