/** Line icons on a 24 px grid; stroke and fill come from the style. */
export const ICONS = {
  mark: '<path d="M3 10v4M7.5 7v10M12 3v18M16.5 8v8M21 10v4"/>', // five bars of a waveform
  play: '<path class="solid" d="M8 5.2v13.6c0 .8.9 1.3 1.5.8l10-6.8c.6-.4.6-1.2 0-1.6l-10-6.8C8.9 3.9 8 4.4 8 5.2z"/>',
  pause: '<path class="solid" d="M7 5h3.5v14H7zM13.5 5H17v14h-3.5z"/>',
  stop: '<rect class="solid" x="6" y="6" width="12" height="12" rx="2"/>',
  star: '<path d="M12 3.6l2.6 5.3 5.8.8-4.2 4.1 1 5.8-5.2-2.7-5.2 2.7 1-5.8-4.2-4.1 5.8-.8z"/>',
  again: '<path d="M19.5 12a7.5 7.5 0 1 1-2.2-5.3L20 9.4M20 4.5v4.9h-4.9"/>',
  undo: '<path d="M9 5L4.5 9.5 9 14M5 9.5h8.5a5.5 5.5 0 0 1 0 11H9"/>',
  settings: '<path d="M4 8h9M17 8h3M4 16h3M11 16h9"/><circle cx="15" cy="8" r="2"/><circle cx="9" cy="16" r="2"/>',
  compare: '<path d="M4 8h14M14 4l4 4-4 4M20 16H6M10 12l-4 4 4 4"/>',
  download: '<path d="M12 4v11M7.5 11L12 15.5 16.5 11M5 19.5h14"/>',
  trash: '<path d="M5 7h14M10 7V4.5h4V7M7 7l.8 12.5h8.4L17 7M10.5 10.5v5.5M13.5 10.5v5.5"/>',
  upload: '<path d="M12 16V5M7.5 9.5L12 5l4.5 4.5M5 19.5h14"/>',
  microphone: '<rect x="9" y="3.5" width="6" height="11" rx="3"/><path d="M5.5 11.5a6.5 6.5 0 0 0 13 0M12 18v3"/>',
  next: '<path d="M9 5.5L15.5 12 9 18.5"/>',
  down: '<path d="M6 9.5l6 6 6-6"/>',
  close: '<path d="M6 6l12 12M18 6L6 18"/>',
  sun: '<circle cx="12" cy="12" r="4"/><path d="M12 2.5v2M12 19.5v2M2.5 12h2M19.5 12h2M5.3 5.3l1.4 1.4M17.3 17.3l1.4 1.4M5.3 18.7l1.4-1.4M17.3 6.7l1.4-1.4"/>',
  moon: '<path d="M19.5 14.5A8 8 0 0 1 9.5 4.5a8 8 0 1 0 10 10z"/>',
  help: '<path d="M8.5 9a3.5 3.5 0 1 1 5.3 3c-1.1.7-1.8 1.3-1.8 2.7"/><circle class="solid" cx="12" cy="18.5" r="1.2"/>',
  pausemark: '<path d="M4 12h3M17 12h3M10 8v8M14 8v8"/>',
  words: '<path d="M4 7h16M4 12h10M4 17h13"/>',
  equal: '<path d="M6 9.5h12M6 14.5h12"/>',
  champion: '<path d="M4.5 18.5h15L21 8.5l-5 3.2L12 5 8 11.7 3 8.5z"/>', // a crown
  dots: '<circle class="solid" cx="5.5" cy="12" r="1.2"/><circle class="solid" cx="12" cy="12" r="1.2"/><circle class="solid" cx="18.5" cy="12" r="1.2"/>',
  search: '<circle cx="10.5" cy="10.5" r="6"/><path d="M15 15l5 5"/>',
  store: '<path d="M4 8.5l8-4 8 4v7l-8 4-8-4zM4 8.5l8 4 8-4M12 12.5v7"/>', // a box
  through: '<path class="solid" d="M4 6v12l7-6zM12.5 6v12l7-6z"/>', // two play triangles
  box: '<rect x="4.5" y="4.5" width="15" height="15" rx="3"/>',
  boxed: '<rect x="4.5" y="4.5" width="15" height="15" rx="3"/><path d="M8 12.5l3 3 5.5-6.5"/>',
  check: '<path d="M5 12.5l4.5 4.5L19 7.5"/>',
  warn: '<path d="M12 6v7.5"/><circle class="solid" cx="12" cy="17.5" r="1.3"/>',
  flag: '<path d="M6.5 20.5V4.5h11l-2.5 4 2.5 4h-11"/>',
  eye: '<path d="M3 12c2.4-4.2 5.4-6.3 9-6.3s6.6 2.1 9 6.3c-2.4 4.2-5.4 6.3-9 6.3S5.4 16.2 3 12z"/><circle cx="12" cy="12" r="2.8"/>',
  fail: '<path d="M7 7l10 10M17 7L7 17"/>',
};
