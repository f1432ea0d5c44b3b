// Tables that are wider than a phone: the theme wraps them into boxes that scroll, and the keyboard has to reach those.
new MutationObserver(() => {
  for (const box of document.querySelectorAll('.md-typeset__scrollwrap:not([tabindex])')) {
    box.tabIndex = 0;
    box.setAttribute('role', 'group');
  }
}).observe(document.body, {childList: true, subtree: true});
